import { isObject, type JsonObject, type JsonValue, parseJson, textOf } from '../../core/lib/json.ts';

/** A run as the pages show it. */
export interface ShownRun {
  id: string;
  val: { id: string; name: string };
  version: number | undefined;
  startedAt: string;
  endedAt: string | undefined;
  durationMs: number | undefined;
  result: 'ok' | 'failed' | 'running';
  error: string;
  reporter: string | undefined;
}

const objectIn = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

/** Reads a run as the API sends it. A run of a seed may have no version and no reporter, and a number as its id. */
export function readShownRun(json: string): ShownRun {
  const run = objectIn(parseJson(json));
  const val = objectIn(run.val);
  const startedAt = textOf(run.runStartAt) ?? '';
  const endedAt = textOf(run.runEndAt);
  const ms = Date.parse(`${endedAt}`) - Date.parse(startedAt);
  const hasFailed = (run.error ?? null) !== null;
  const version = Number(textOf(val.version) ?? Number.NaN);
  return {
    id: textOf(run.id) ?? '',
    val: { id: textOf(val.id) ?? '', name: textOf(val.name) ?? '' },
    version: Number.isInteger(version) ? version : undefined,
    startedAt,
    endedAt,
    durationMs: ms >= 0 ? ms : undefined,
    result: resultOf(hasFailed, endedAt),
    error: hasFailed ? messageOf(run.error) : '',
    reporter: textOf(objectIn(run.reporter).username),
  };
}

function resultOf(hasFailed: boolean, endedAt: string | undefined): ShownRun['result'] {
  if (hasFailed) return 'failed';
  return endedAt === undefined ? 'running' : 'ok';
}

function messageOf(error: JsonValue | undefined): string {
  if (!isObject(error)) return `${error}`;
  return textOf(error.stack) ?? textOf(error.message) ?? JSON.stringify(error);
}
