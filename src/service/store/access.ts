import { raw, type Sql, sql, sqlList } from '../database/sql.ts';
import { now } from './timestamps.ts';

export interface User {
  id: string;
  username: string;
}

export const idPattern = /^[\w-]{1,64}$/;

export type Role = 'read' | 'write';

interface JoinedSpace extends User {
  role: Role;
}

/** What a token may do, decided when it is made. `deploy`: read, create private vals and add versions. */
export const tokenAccesses = ['full', 'deploy', 'read'] as const;

export type TokenAccess = (typeof tokenAccesses)[number];

/** What the token allows, and what a session refers to. */
export interface OwnToken {
  id: string;
  name: string;
  access: TokenAccess;
  expiresAt: string | null;
  /** The token is good for this space alone. */
  spaceId: string | null;
}

/** Whose token a request has, and what it reaches: the spaces of the person, or the only one that the token is good for. */
export interface Identity {
  actor: User;
  token: OwnToken;
  spaces: readonly JoinedSpace[];
}

/**
 * What a request may do. `owner` is the person or the space whose base URL was asked, and whose vals it may write if
 * `mayWrite`. `actor` is the person who is recorded as the author.
 */
export interface Access extends Identity {
  owner: User;
  mayWrite: boolean;
}

/** Below a space, or below none. Undefined if the token is not good there. */
export function accessAt(identity: Identity, name: string | undefined): Access | undefined {
  const { token, spaces } = identity;
  if (name === undefined) return token.spaceId === null ? accessTo(identity, undefined) : undefined;
  const space = spaces.find(({ username }) => username === name);
  return space && accessTo(identity, space);
}

/** Where the token belongs: with its person, or with the only space that it is good for. */
export function homeOf(identity: Identity): Access {
  const [space] = identity.token.spaceId === null ? [] : identity.spaces;
  return accessTo(identity, space);
}

function accessTo(identity: Identity, space: JoinedSpace | undefined): Access {
  const { actor, token } = identity;
  const owner = space ? { id: space.id, username: space.username } : actor;
  return { ...identity, owner, mayWrite: token.access !== 'read' && space?.role !== 'read' };
}

const reachedOwners = ({ actor, token, spaces }: Identity): string[] => {
  const ids = spaces.map(({ id }) => id);
  return token.spaceId === null ? [actor.id, ...ids] : ids;
};

/** A condition on a column with the id of an owner. */
export const isReached = (column: 'owner_id' | 'id', identity: Identity): Sql =>
  sql`${raw(column)} IN ${sqlList(reachedOwners(identity))}`;

/**
 * Hides the private vals that the token does not reach. SQL does the check, because otherwise the reply for a missing val
 * would be measurably faster than the reply for a hidden val.
 */
export const mayRead = (identity: Identity | undefined): Sql =>
  identity ? sql`(privacy <> 'private' OR ${isReached('owner_id', identity)})` : raw("privacy <> 'private'");

/** Hides the unlisted vals of others too, which are found by their ids alone. */
export const mayFind = (identity: Identity): Sql =>
  sql`(privacy = 'public' OR ${isReached('owner_id', identity)})`;

/** A limited token makes and ends no tokens, so that nothing of what it could do outlives it. */
export const isLimited = ({ access, expiresAt, spaceId }: OwnToken): boolean =>
  access !== 'full' || expiresAt !== null || spaceId !== null;

/** A condition on a token: it has not ended. */
export const isGoodToken = (): Sql => sql`(expires_at IS NULL OR expires_at > ${now()})`;

/** The name of the token that a person gets from the operator. */
export const firstTokenName = 'first';

/** Who made a version, with the name of the token unless it is the person's first one: what CI did is not what ada did. */
export interface VersionAuthor extends User {
  token?: string;
}

export const authorOf = ({ actor, token }: Access): VersionAuthor =>
  token.name === firstTokenName ? actor : { ...actor, token: token.name };

export const isInSpace = ({ owner, actor }: Access): boolean => owner.id !== actor.id;
