import { BadResponseError } from '../errors.ts';
import { blobId } from '../lib/blob-id.ts';
import type { Api } from './api.ts';
import { codeOf, textAt } from './record-fields.ts';
import * as routes from './routes.ts';

export interface Version {
  /** As `hashOf` makes it. Reads the code if the service's list has no hashes. */
  hash(): Promise<string>;
  readCode(): Promise<string>;
}

/** The hash that services send as `codeHash`. */
export const hashOf = (code: string): string => blobId(Buffer.from(code));

/** Returns the versions of a val, oldest first. Those without a number cannot be read, so they are left out. */
export async function versionsOf(api: Api, id: string): Promise<Version[]> {
  const versions = new Map<number, Version>();
  for await (const { records } of api.pages(routes.listVersions(id))) {
    for (const record of records) {
      const version = textAt(record, 'version');
      if (version === undefined) continue;
      const number = Number(version);
      if (!Number.isSafeInteger(number)) throw notANumber(version);
      const readCode = async () => codeOf(await api.record(routes.getVersion(id, `${number}`)));
      let hash = textAt(record, 'codeHash');
      versions.set(number, {
        readCode,
        async hash() {
          hash ??= hashOf(await readCode());
          return hash;
        },
      });
    }
  }
  return [...versions].sort(([a], [b]) => a - b).map(([, version]) => version);
}

const notANumber = (version: string): BadResponseError =>
  new BadResponseError(`The service sent an invalid version number: "${version}".`, {
    hint: 'Report this to the person who runs the service.',
  });
