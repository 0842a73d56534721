import { isObject, type JsonObject, parseJson } from '../../lib/json.ts';

/** A run as the pages show it. */
export interface ShownRun {
  id: string;
  val: { id: string; name: string } | undefined;
  version: number | undefined;
  startedAt: string | undefined;
  endedAt: string | undefined;
  durationMs: number | undefined;
  result: 'ok' | 'failed' | 'running';
  error: string;
  reporter: string | undefined;
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The records are those that the API sends, and seeds may leave out most of their fields. */
export function readShownRun(json: string): ShownRun {
  const parsed = parseJson(json);
  const run: JsonObject = isObject(parsed) ? parsed : {};
  const val: JsonObject = isObject(run.val) ? run.val : {};
  const [startedAt, endedAt] = [textIn(run.runStartAt), textIn(run.runEndAt)];
  const ms = Date.parse(`${endedAt}`) - Date.parse(`${startedAt}`);
  const hasFailed = run.error !== undefined && run.error !== null;
  const id = textIn(val.id);
  const version = Number(val.version ?? Number.NaN);
  return {
    id: textIn(run.id) ?? '',
    val: id === undefined ? undefined : { id, name: textIn(val.name) ?? id },
    version: Number.isInteger(version) ? version : undefined,
    startedAt,
    endedAt,
    durationMs: ms >= 0 ? ms : undefined,
    result: resultOf(hasFailed, endedAt),
    error: hasFailed ? messageOf(run.error) : '',
    reporter: isObject(run.reporter) ? textIn(run.reporter.username) : undefined,
  };
}

function resultOf(hasFailed: boolean, endedAt: string | undefined): ShownRun['result'] {
  if (hasFailed) return 'failed';
  return endedAt === undefined ? 'running' : 'ok';
}

function messageOf(error: unknown): string {
  if (!isObject(error)) return `${error}`;
  return textIn(error.stack) ?? textIn(error.message) ?? JSON.stringify(error);
}
