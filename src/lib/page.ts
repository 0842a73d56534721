import type { JsonObject } from './json.ts';

export interface Page {
  readonly records: readonly JsonObject[];
}
