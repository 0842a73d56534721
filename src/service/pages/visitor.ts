import type { Database } from '../database/database.ts';
import { type ServiceRequest, spacePrefix } from '../request.ts';
import { type Access, homeOf, type Identity, isInSpace, type User } from '../store/access.ts';

/** What a page needs to know of the request. */
export interface PageView {
  /** Who is signed in, with what they may do on these pages, or else on their first page. */
  visitor: Access | undefined;
  /** What the paths of the pages begin with: nothing, or `/@acme`. */
  base: string;
  /** The path and query of the request, where a sign-in goes on. */
  here: string;
  now: number;
}

export function viewOf({ space, url, identity, access }: ServiceRequest): PageView {
  const visitor = access ?? (identity && homeOf(identity));
  return {
    visitor,
    base: visitor ? baseOf(visitor) : spacePrefix(space),
    here: `${url.pathname}${url.search}`,
    now: Date.now(),
  };
}

const baseOf = (access: Access): string => spacePrefix(isInSpace(access) ? access.owner.username : undefined);

/** Where the pages with the vals of this owner are, if the visitor reaches them: else where the visitor is. */
export function baseOfOwner({ visitor, base }: PageView, owner: User): string {
  if (visitor?.token.spaceId === null && visitor.actor.id === owner.id) return '';
  const space = visitor?.spaces.find(({ id }) => id === owner.id);
  return space ? spacePrefix(space.username) : base;
}

export const spaceHome = ({ username }: User): string => `${spacePrefix(username)}/`;

/** The first page: that of the person, or of the only space that the token is good for. */
export const firstPage = (identity: Identity): string => `${baseOf(homeOf(identity))}/`;

/** What a page is made from. */
export interface Visit {
  db: Database;
  request: ServiceRequest;
  view: PageView;
  /** Does work that takes long. Other requests are answered before it, and between it and such work for another page. */
  inTurn<Result>(work: () => Result): Promise<Result>;
}
