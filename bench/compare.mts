import type { Line, Result, Rounds, Sample } from './types.mts';

export async function compare(rounds: Rounds, lines: readonly Line[]): Promise<Result[]> {
  const samples = new Set(lines.flatMap(({ what, to }) => (to ? [what, to] : [what])));
  const taken = await interleaved(rounds, [...samples]);
  const medianOf = (sample: Sample) => median(taken.get(sample) ?? []);
  return lines.map(({ what, to, unit = 'ms', atMost }) => {
    const medians = to ? [medianOf(what), medianOf(to)] : [medianOf(what)];
    const figure = medianOf(what) / (to ? medianOf(to) : 1);
    return { what: what.name, to: to?.name ?? '', unit, atMost, figure, isMet: figure <= atMost, medians };
  });
}

/**
 * The samples take turns, so that a busy moment of the machine slows all of them. The order is random, so that no sample
 * always comes after the same other one.
 */
async function interleaved({ runs, warmUps }: Rounds, samples: readonly Sample[]) {
  const taken = new Map<Sample, number[]>(samples.map((sample) => [sample, []]));
  for (let round = -warmUps; round < runs; round += 1) {
    for (const sample of shuffled(samples)) {
      const value = await sample.take();
      if (round >= 0) taken.get(sample)?.push(value);
    }
  }
  return taken;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

const shuffled = <Item,>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
