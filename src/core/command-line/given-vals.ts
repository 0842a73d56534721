import type { GivenVal } from '../find-val/find-val.ts';
import type { Api } from '../http/api.ts';
import { summaryOf, textAt } from '../http/record-fields.ts';
import type { JsonObject } from '../lib/json.ts';
import * as routes from '../routes.ts';

/** The vals that the user named: what was typed for each, and what was read of it. */
export interface GivenVals {
  wordFor(id: string): string | undefined;
  /** Undefined if the command line gave the id of the val instead of its name. */
  nameFor(id: string): string | undefined;
  /** The name that was read, or what was typed in the place of the id. */
  labelFor(id: string): string | undefined;
  rememberWord(val: GivenVal): void;
  rememberVal(id: string, record: JsonObject, etag?: string): void;
  /** The whole val, if it is the last one that was read to find out which val the user means. */
  lastRead(id: string): JsonObject | undefined;
  /** Undefined if the val was not read before, or if the service sends no ETags. */
  etagOf(id: string): string | undefined;
  /** Returns the name, the version, the privacy and the times of the val. */
  readSummary(id: string): Promise<JsonObject>;
}

export function createGivenVals(typedWords: Map<string, string>, connect: () => Promise<Api>): GivenVals {
  const identities = new Map<string, GivenVal>();
  const read = new Map<string, { summary: JsonObject; etag: string | undefined }>();
  let last: { id: string; record: JsonObject } | undefined;
  const rememberVal: GivenVals['rememberVal'] = (id, record, etag) => {
    read.set(id, { summary: summaryOf(record), etag });
    last = { id, record };
  };
  return {
    wordFor: (id) => typedWords.get(id),
    nameFor: (id) => identities.get(id)?.name,
    labelFor: (id) => textAt(read.get(id)?.summary ?? {}, 'name') ?? typedWords.get(id),
    rememberWord(val) {
      typedWords.set(val.id, val.word);
      identities.set(val.id, val);
      if (val.read !== undefined) rememberVal(val.id, val.read.record, val.read.etag);
    },
    rememberVal,
    lastRead: (id) => (last?.id === id ? last.record : undefined),
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
