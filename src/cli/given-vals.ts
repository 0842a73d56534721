import type { Api } from '../api/api.ts';
import { summaryOf, textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import type { HintWriter } from '../lib/hint.ts';
import type { JsonObject } from '../lib/json.ts';

/** The vals that the user named: what was typed for each, and what was read of it. */
export interface GivenVals {
  wordFor(id: string): string | undefined;
  /** Undefined if the command line gave the id of the val instead of its name. */
  nameFor(id: string): string | undefined;
  /** The name that was read, or what was typed. */
  labelFor(id: string): string;
  rememberWord(word: string, val: { id: string; name?: string }): void;
  rememberVal(id: string, record: JsonObject, etag?: string): void;
  /** Undefined if the val was not read before, or if the service sends no ETags. */
  etagOf(id: string): string | undefined;
  /** Returns the name, the version, the privacy and the times of the val. */
  readSummary(id: string): Promise<JsonObject>;
}

export function createGivenVals(hints: HintWriter, connect: () => Promise<Api>): GivenVals {
  const names = new Map<string, string>();
  const read = new Map<string, { summary: JsonObject; etag: string | undefined }>();
  const rememberVal: GivenVals['rememberVal'] = (id, record, etag) =>
    void read.set(id, { summary: summaryOf(record), etag });
  return {
    wordFor: hints.wordFor,
    nameFor: (id) => names.get(id),
    labelFor: (id) => textAt(read.get(id)?.summary ?? {}, 'name') ?? hints.wordFor(id) ?? id,
    rememberWord(word, { id, name }) {
      hints.nameVal(id, word);
      if (name !== undefined) names.set(id, name);
    },
    rememberVal,
    etagOf: (id) => read.get(id)?.etag,
    async readSummary(id) {
      const known = read.get(id);
      if (known !== undefined) return known.summary;
      const { record, etag } = await (await connect()).recordWithEtag(routes.getVal(id));
      rememberVal(id, record, etag);
      return summaryOf(record);
    },
  };
}
