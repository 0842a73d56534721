import type { Reply, Seen } from '../scripted-service.ts';

/**
 * What a service may have beside the 14 routes with their documented fields. Without any of them it has those, and nothing
 * else: a val has id, name, code, readme and privacy, and a version its number and its code, which the list leaves out.
 */
export interface Switches {
  /** `version` on vals. One version is then the whole val as it was. */
  version?: boolean;
  /** `createdAt` on vals and versions, `versionCreatedAt` on vals. */
  times?: boolean;
  /** `author` on vals, and `versionAuthor`, who made the version. */
  authors?: boolean;
  /** `code` in the list of versions. */
  codesOfVersions?: boolean;
  /** A new version is answered with itself, and the code that is there already makes one, too. */
  answersVersions?: boolean;
  /** What the versions and runs of others' public vals are answered with: they are listed without this. */
  versionsOfOthers?: 403 | 404;
  /** `GET /v1/users/{id}/vals`. */
  list?: boolean;
  /** `codeHash` on vals, on versions, and in lists of both. */
  codeHash?: boolean;
  /** `ETag` with vals, and `If-Match` for writes. */
  etag?: boolean;
  /** `PUT /v1/vals/{id}` with `name`, `privacy` and `readme`. */
  changeVal?: boolean;
  /** `POST /v1/vals/{id}/runs` and `GET /v1/runs/{id}`. */
  recordRuns?: boolean;
  /** `GET /v1/alias/{username}/{name}`. */
  alias?: boolean;
  /** How writes are answered: 201 or 200 with the val, always 200 with the val, or 204 without a body. */
  writes?: 'exact' | 'always 200' | 'empty';
  /** The privacy of new vals: `private` without this. */
  privacy?: string;
  now?(): number;
  /** Gives another reply to a request, which then changes nothing. */
  instead?(seen: Seen): Reply | undefined;
}

/** The fields that most real services add to the documented ones. */
export const usualFields = { version: true, times: true, authors: true } as const;
