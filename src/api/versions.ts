import { BadResponseError } from '../errors.ts';
import { blobId } from '../lib/blob-id.ts';
import type { Api } from './api.ts';
import { codeOf, textAt, versionOf } from './record-fields.ts';
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
      const number = versionOf(record);
      if (number === undefined && record.version !== undefined) throw notANumber(textAt(record, 'version'));
      if (number === undefined) continue;
      const readCode = async () => codeOf(await api.record(routes.getVersion(id, number)));
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

const notANumber = (version = ''): BadResponseError =>
  new BadResponseError(`The service sent an invalid version number: "${version}".`, {
    hint: 'Report this to the person who runs the service.',
  });
