/** A named time or size. */
export interface Sample {
  name: string;
  take(): Promise<number>;
}

/** One row of the table: what `what` takes, as a multiple of what `to` takes. */
export interface Line {
  what: Sample;
  /** If it is absent, the figure is what `what` takes, in `unit`. */
  to?: Sample;
  /** `ms` if it is absent. */
  unit?: Unit;
  atMost: number;
}

export type Unit = 'ms' | 's' | 'MB' | '%';

export interface Result {
  what: string;
  to: string;
  unit: Unit;
  atMost: number;
  figure: number;
  isMet: boolean;
  /** Of `what`, and of `to` if there is one. */
  medians: number[];
}

export interface Rounds {
  runs: number;
  warmUps: number;
}

/** Lines that share a preparation. */
export interface Measurement {
  name: string;
  /** It is measured with the first Node only, because another Node would not change much. */
  once?: true;
  measure(bench: Bench): Promise<Result[]>;
}

export interface Command {
  file: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
}

export type Surroundings = Partial<Pick<Command, 'env' | 'cwd'>>;

export interface Bench {
  node(args: readonly string[], surroundings?: Surroundings): Command;
  vals(args: readonly string[], surroundings?: Surroundings): Command;
  newFolder(): string;
  /** How many files, vals or runs to use: as many as the line says, or with `--quick` a few. */
  count(full: number): number;
  /** For commands that take a moment. */
  often: Rounds;
  /** For commands that take seconds. */
  seldom: Rounds;
}
