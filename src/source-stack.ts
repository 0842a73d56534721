import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/** The stack of an error, with the places of the bundled program `main.js` as places in its source. */
export function sourceStack(error: Error, dist: string): string {
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
