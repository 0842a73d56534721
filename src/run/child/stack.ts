// Makes error stacks show the lines of the source, also in everything that the val prints itself.
import { SourceMap } from 'node:module';

/** Sets V8's hook for the text of a stack, because Node does not read the source maps of modules that are made with `vm`. */
export function mapStacks(mapOf: (id: string) => string | undefined): void {
  const maps = new Map<string, SourceMap | undefined>();
  const mapFor = (id: string) => {
    const text = maps.has(id) ? undefined : mapOf(id);
    if (text !== undefined) maps.set(id, new SourceMap(JSON.parse(text)));
    return maps.get(id);
  };
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) =>
      `${frame}`.replace(/([\w]+:[^\s()]+):(\d+):(\d+)(?=\)?$)/, (place, id, line, column) => {
        const entry = mapFor(id)?.findEntry(line - 1, column - 1);
        if (entry === undefined || !('originalLine' in entry)) return place;
        return `${id}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
      }),
    );
    return [Error.prototype.toString.call(error), ...lines].join('\n    at ');
  };
}
