export interface User {
  id: string;
  username: string;
}

export const idPattern = /^[\w-]{1,64}$/;

export type Role = 'read' | 'write';

/** What the token allows, and what a session refers to. */
export interface OwnToken {
  id: string;
  name: string;
  readOnly: boolean;
  expiresAt: string | null;
  /** The token is good for this space alone. */
  spaceId: string | null;
}

/**
 * Who asks. `owner` is the person or the space whose vals these are, `actor` the person who is recorded as the author.
 * `role` is what the actor may do with the vals of the owner; the token may allow less.
 */
export interface Access {
  owner: User;
  actor: User;
  role: Role;
  token: OwnToken;
}

/** A limited token makes and ends no tokens, so that nothing of what it could do outlives it. */
export const isLimited = ({ readOnly, expiresAt, spaceId }: OwnToken): boolean =>
  readOnly || expiresAt !== null || spaceId !== null;

/** The name of the token that a person gets from the operator. */
export const firstTokenName = 'first';

/** Who made a version, with the name of the token unless it is the person's first one: what CI did is not what ada did. */
export interface VersionAuthor extends User {
  token?: string;
}

export const authorOf = ({ actor, token }: Access): VersionAuthor =>
  token.name === firstTokenName ? actor : { ...actor, token: token.name };

export const isInSpace = ({ owner, actor }: Access): boolean => owner.id !== actor.id;
