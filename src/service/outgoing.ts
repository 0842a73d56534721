// Records in the form that is sent: with every field that clients read, and with links to the caller's address.
import { isObject, type JsonObject, parseJson, stringifyJson } from '../lib/json.ts';
import type { ListedVal, Val } from './read-vals.ts';
import type { User } from './users.ts';

export function valRecord(val: ListedVal & Partial<Val>, base: string | undefined) {
  const { id, name, code = null, readme = null, privacy, version, createdAt, versionCreatedAt } = val;
  const { updatedAt, author, versionAuthor, type, likeCount, referenceCount } = val;
  return {
    ...{ id, name, code, readme, privacy, public: privacy === 'public', version },
    ...{ createdAt, versionCreatedAt, updatedAt, author, versionAuthor },
    ...addressesOf(id, base),
    ...{ type, likeCount, referenceCount },
  };
}

/** A liked val is one of another service's, of which only what its seed says is known. */
export function likeRecord(json: string, base: string | undefined): string {
  const like = parseJson(json) as JsonObject;
  const { privacy = 'public', createdAt = null, versionCreatedAt = createdAt } = like;
  const { links, ...url } = addressesOf(String(like.id), base);
  return stringifyJson({
    ...{
      id: null,
      name: null,
      code: null,
      readme: null,
      privacy,
      public: privacy === 'public',
      version: null,
    },
    ...{ createdAt, versionCreatedAt, updatedAt: versionCreatedAt, author: null },
    ...url,
    ...{ type: 'script', likeCount: 1, referenceCount: 0 },
    ...like,
    ...((links ?? like.links) && { links: { ...links, ...(isObject(like.links) && like.links) } }),
  });
}

/** Clients expect an address of mail to be a text. */
export function userRecord({ id, username }: User, base: string | undefined, path: string) {
  return {
    ...{ id, username, bio: null, email: '', profileImageUrl: null, tier: null },
    ...(base !== undefined && { url: `${base}/`, links: { self: `${base}/v1/${path}` } }),
  };
}

/** Nothing without a base. */
function addressesOf(id: string, base: string | undefined): { url?: string; links?: Record<string, string> } {
  if (base === undefined) return {};
  const name = encodeURIComponent(id);
  const self = `${base}/v1/vals/${name}`;
  return {
    url: `${base}/?val=${name}`,
    links: { self, versions: `${self}/versions`, module: `${self}/module` },
  };
}
