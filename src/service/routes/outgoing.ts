import { isObject, type JsonObject, parseJson, stringifyJson } from '../../lib/json.ts';
import { baseUrlOf, json, type Reply, type ServiceRequest, spacePrefix } from '../request.ts';
import type { ListedVal, Val } from '../store/read-vals.ts';
import type { User } from '../store/users.ts';
import { etagOf } from './write-options.ts';

export function valRecord(val: ListedVal & Partial<Val>, base: string | undefined) {
  return {
    id: val.id,
    name: val.name,
    code: val.code ?? null,
    readme: val.readme ?? null,
    privacy: val.privacy,
    public: val.privacy === 'public',
    version: val.version,
    createdAt: val.createdAt,
    versionCreatedAt: val.versionCreatedAt,
    updatedAt: val.updatedAt,
    author: val.author,
    versionAuthor: val.versionAuthor,
    ...addressesOf(val.id, base),
    type: val.type,
    likeCount: val.likeCount,
    referenceCount: val.referenceCount,
  };
}

export const valReply = (request: ServiceRequest, val: Val): Reply =>
  json(valRecord(val, baseUrlOf(request)), 200, { ETag: etagOf(val) });

export const createdReply = (request: ServiceRequest, val: Val, below = ''): Reply =>
  json(valRecord(val, baseUrlOf(request)), 201, {
    ETag: etagOf(val),
    Location: `${spacePrefix(request.space)}/v1/vals/${val.id}${below}`,
  });

export function likeRecord(json: string, base: string | undefined): string {
  const like = parseJson(json) as JsonObject;
  const { privacy = 'public', createdAt = null, versionCreatedAt = createdAt } = like;
  const { links, ...url } = addressesOf(String(like.id), base);
  return stringifyJson({
    id: null,
    name: null,
    code: null,
    readme: null,
    privacy,
    public: privacy === 'public',
    version: null,
    createdAt,
    versionCreatedAt,
    updatedAt: versionCreatedAt,
    author: null,
    ...url,
    type: 'script',
    likeCount: 1,
    referenceCount: 0,
    ...like,
    ...((links ?? like.links) && { links: { ...links, ...(isObject(like.links) && like.links) } }),
  });
}

export function userRecord({ id, username }: User, base: string | undefined, path: string) {
  return {
    id,
    username,
    bio: null,
    email: '',
    profileImageUrl: null,
    tier: null,
    ...(base !== undefined && { url: `${base}/`, links: { self: `${base}/v1/${path}` } }),
  };
}

function addressesOf(id: string, base: string | undefined): { url?: string; links?: Record<string, string> } {
  if (base === undefined) return {};
  const name = encodeURIComponent(id);
  const self = `${base}/v1/vals/${name}`;
  return {
    url: `${base}/?val=${name}`,
    links: { self, versions: `${self}/versions`, module: `${self}/module` },
  };
}
