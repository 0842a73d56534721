import { type JsonObject, type JsonValue, lookUp, textAt } from '../lib/json.ts';

export interface RunFacts {
  valIdOrName: string | undefined;
  valNameOrId: string | undefined;
  version: JsonValue;
  failed: boolean;
  isRunning: boolean;
  startedAt: number | undefined;
  durationMs: number | undefined;
}

export function readRun(record: JsonObject): RunFacts {
  const name = firstText(record, 'val.name', 'valName', 'val');
  const id = firstText(record, 'val.id', 'valId');
  const startedAt = momentIn(record, 'runStartAt', 'startedAt', 'createdAt');
  const endedAt = momentIn(record, 'runEndAt', 'endedAt');
  const durationMs = startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt;
  const { error } = record;
  const failed = error !== undefined && error !== null && error !== false && error !== '';
  return {
    valIdOrName: id ?? name,
    valNameOrId: name ?? id,
    version: lookUp(record, 'val.version') ?? record.version ?? null,
    failed,
    isRunning: !failed && [record.runEndAt, record.endedAt].includes(null) && endedAt === undefined,
    startedAt,
    durationMs: durationMs === undefined || durationMs < 0 ? undefined : durationMs,
  };
}

function firstText(record: JsonObject, ...paths: string[]): string | undefined {
  for (const path of paths) {
    const text = textAt(record, path);
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}

function momentIn(record: JsonObject, ...keys: string[]): number | undefined {
  for (const key of keys) {
    const value = record[key];
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(time)) return time;
  }
  return undefined;
}
