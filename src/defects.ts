import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { asValsError, type ValsError } from './core/errors.ts';
import { hintList } from './core/lib/hint.ts';
import { type Redactor, visibleLines } from './core/lib/visible.ts';
import { isOn } from './core/settings/settings.ts';

/** Ends the process with a message at an error that nothing catches. Call the result when the work is done. */
export function reportDefects(dist: string, redactor: Redactor): () => void {
  const { argv, env, stderr } = process;
  const report = (error: unknown) => {
    const failure = asValsError(error);
    const { message, facts } = failure;
    const isDebug = argv.includes('--debug') || isOn(env.VALS_DEBUG);
    const text = isDebug ? `${stackOf(failure, dist)}\n${message}` : message;
    const shown = visibleLines(redactor.redact(text));
    const hints = hintList(facts.hint).map((hint) => `hint: ${hint}\n`);
    // A server would otherwise go on after a defect, in a state that nobody knows. Only here is process.exit() called,
    // because output that is not yet written is lost then.
    stderr.write(`error: ${shown}\n${hints.join('')}`, () => process.exit(1));
  };
  process.on('uncaughtException', report);
  // Without this listener, Node would end silently with exit code 0 if a promise never resolves.
  const endedEarly = () => report(new Error('the command waits for something that never happens.'));
  process.once('beforeExit', endedEarly);
  return () => process.off('beforeExit', endedEarly);
}

/** For --debug. */
export const stackOf = ({ facts, message }: ValsError, dist: string): string =>
  facts.cause instanceof Error ? sourceStack(facts.cause, dist) : message;

/** The stack of an error, with the places of the bundled program `main.js` as places in its source. */
function sourceStack(error: Error, dist: string): string {
  const stack = error.stack ?? String(error);
  const bundle = `${dist}/main.js`;
  if (!stack.includes(bundle)) return stack;
  const map = readMap(`${bundle}.map`);
  return stack
    .split('\n')
    .map((line) => sourceLine(line, bundle, map))
    .join('\n');
}

/** The names of functions are those of the minified program, so a line of the source stands without one. */
function sourceLine(line: string, bundle: string, map: SourceMap | undefined): string {
  const [, number, column] = line.split(bundle)[1]?.match(/^:(\d+):(\d+)/) ?? [];
  if (number === undefined) return line;
  const place = map?.findEntry(Number(number) - 1, Number(column) - 1);
  if (place === undefined || !('originalSource' in place)) return line;
  const file = place.originalSource.replace(/^(?:\.\.\/)+/, '');
  return `    at ${file}:${place.originalLine + 1}:${place.originalColumn + 1}`;
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
