// What the store has, as the records and lists of the API.

import { mostPageBytes } from '../limits.ts';
import {
  json,
  jsonText,
  type LinkBase,
  linkBaseOf,
  type ServiceReply,
  type ServiceRequest,
  selfOf,
  spacePrefix,
} from '../request.ts';
import type { RecordOf } from '../schemas.ts';
import type { User } from '../store/access.ts';
import type { ValPage } from '../store/lists.ts';
import {
  type ListPart,
  nextOf,
  numberPositions,
  type Positions,
  type Range,
  timePositions,
} from '../store/positions.ts';
import type { Reference } from '../store/references.ts';
import type { RunPage } from '../store/runs.ts';
import { etagOf, type ListedVal, type StoredVal } from '../store/vals.ts';

function valRecord(val: ListedVal & Partial<StoredVal>, links: LinkBase): RecordOf<'Val'> {
  return {
    id: val.id,
    name: val.name,
    code: val.code ?? null,
    readme: val.readme ?? null,
    privacy: val.privacy,
    public: val.privacy === 'public',
    version: val.version,
    codeHash: val.codeHash,
    createdAt: val.createdAt,
    versionCreatedAt: val.versionCreatedAt,
    updatedAt: val.updatedAt,
    author: val.author,
    versionAuthor: val.versionAuthor,
    ...addressesOf(val, links),
    type: val.type,
  };
}

export const runList = (request: ServiceRequest, runs: RunPage, range: Range<unknown>): ServiceReply =>
  listReply(request, runs, range, { positions: timePositions, jsonOf: JSON.stringify });

export const valList = (request: ServiceRequest, vals: ValPage, range: Range<unknown>): ServiceReply =>
  listReply(request, vals, range, {
    positions: numberPositions,
    jsonOf: (val) => JSON.stringify(valRecord(val, linkBaseOf(request))),
  });

/** For the log: what a write changed, and who can read the val after it. */
export function noteChange(
  { noted }: ServiceRequest,
  { val, changed }: { val: Pick<StoredVal, 'privacy'>; changed: readonly string[] },
): void {
  if (changed.length > 0) noted.changed = changed;
  if (val.privacy !== 'private' || changed.includes('privacy')) noted.privacy = val.privacy;
}

export function valReply(request: ServiceRequest, val: StoredVal): ServiceReply {
  request.noted.val = val.id;
  return json(valRecord(val, linkBaseOf(request)), 200, { ETag: etagOf(val) });
}

/** Of a write that answers no val. */
export const changedReply = (val: Pick<StoredVal, 'id' | 'revision'>): ServiceReply => ({
  status: 204,
  headers: { ETag: etagOf(val) },
});

export function createdReply(request: ServiceRequest, val: StoredVal, below = ''): ServiceReply {
  request.noted.val = val.id;
  return json(valRecord(val, linkBaseOf(request)), 201, {
    ETag: etagOf(val),
    Location: `${spacePrefix(request.space)}/v1/vals/${val.id}${below}`,
  });
}

export const referenceRecord = (
  { id, name, ownerId, username, importedId, importedName, at }: Reference,
  owner: User,
): RecordOf<'Reference'> => ({
  reference: { id, name, author_id: ownerId, username },
  dependsOn: { id: importedId, name: importedName, author_id: owner.id, username: owner.username },
  referencedAt: new Date(at).toISOString(),
});

/** Only the caller has a page. The address of another person is that of their record. */
export function userRecord(
  { id, username }: User,
  links: LinkBase,
  { path, isCaller }: { path: string; isCaller: boolean },
): RecordOf<'User'> {
  const self = `${links.base}/v1/${path}`;
  return {
    id,
    username,
    bio: null,
    email: '',
    profileImageUrl: null,
    tier: null,
    url: isCaller ? `${links.base}/` : self,
    links: { self },
  };
}

/** A program imports a module without a token, and without being a member of a space. */
function addressesOf({ id }: ListedVal, links: LinkBase): Pick<RecordOf<'Val'>, 'url' | 'links'> {
  const path = `/v1/vals/${id}`;
  const self = links.base + path;
  return {
    url: `${links.base}/vals/${id}`,
    links: { self, versions: `${self}/versions`, module: `${links.origin}${path}/module` },
  };
}

/** `jsonOf` gives the JSON of an item. A page of large records is shorter than the limit. */
export function listReply<Item, Position extends readonly (string | number)[]>(
  request: ServiceRequest,
  page: ListPart<Item, Position>,
  { limit }: Range<unknown>,
  { positions, jsonOf }: { positions: Positions<Position>; jsonOf(item: Item): string },
): ServiceReply {
  const texts = page.items.map(({ item }) => jsonOf(item));
  const count = countInPage(texts);
  const isCut = count < texts.length;
  const next = nextOf(isCut ? { items: page.items.slice(0, count), more: true } : page, positions);
  const self = selfOf(request);
  const links = {
    self: self.href,
    ...(next !== undefined && { next: addressOfNext(self, limit, next) }),
  };
  return jsonText(`{"data":[${texts.slice(0, count).join(',')}],"links":${JSON.stringify(links)}}`);
}

function countInPage(records: string[]): number {
  let bytes = 0;
  const firstLeft = records.findIndex((record, index) => {
    bytes += Buffer.byteLength(record);
    return bytes > mostPageBytes && index > 0;
  });
  return firstLeft < 0 ? records.length : firstLeft;
}

function addressOfNext(self: URL, limit: number, after: string): string {
  const page = new URL(self);
  page.searchParams.set('limit', `${limit}`);
  page.searchParams.delete('offset');
  page.searchParams.set('after', after);
  return page.href;
}
