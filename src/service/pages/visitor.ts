import { nothingAt } from '../admit.ts';
import type { Reader } from '../database/database.ts';
import { unauthorized } from '../problem.ts';
import { type ServiceRequest, spacePrefix } from '../request.ts';
import type { Access, User } from '../store/access.ts';
import type { Store } from '../store/open-store.ts';

/** Who is signed in. `owner` is the person, or the space whose pages these are. */
export interface Visitor {
  actor: User;
  owner: User;
  spaces: readonly User[];
  /** The first page: that of the person, or of the only space that the token is good for. */
  home: string;
  hasOwnPages: boolean;
}

/** What a page needs to know of the request. */
export interface View {
  visitor: Visitor | undefined;
  /** What the paths of the pages begin with: nothing, or `/@acme`. */
  base: string;
  /** The path and query of the request, where a sign-in goes on. */
  here: string;
  now: number;
}

export const viewOf = ({ space, url }: ServiceRequest, visitor: Visitor | undefined): View => ({
  visitor,
  base: visitor ? baseOf(visitor) : spacePrefix(space),
  here: `${url.pathname}${url.search}`,
  now: Date.now(),
});

const baseOf = ({ actor, owner }: Visitor): string =>
  spacePrefix(owner.id === actor.id ? undefined : owner.username);

/** What a page is made from. */
export interface Visit {
  db: Reader;
  request: ServiceRequest;
  view: View;
}

export function accessOfVisitor({ identified, access, url }: ServiceRequest): Access {
  if (!identified) throw unauthorized('This page needs a sign-in in a browser, or a token.');
  if (!access) throw nothingAt(url);
  return access;
}

export async function visitorOf(
  { identified, access }: ServiceRequest,
  { spaces: allSpaces }: Pick<Store, 'spaces'>,
): Promise<Visitor | undefined> {
  if (!identified) return undefined;
  const { actor, token } = identified;
  const all = await allSpaces.withMember(actor);
  const spaces = token.spaceId === null ? all : all.filter(({ id }) => id === token.spaceId);
  const [onlySpace] = token.spaceId === null ? [] : spaces;
  return {
    actor,
    owner: access?.owner ?? onlySpace ?? actor,
    spaces,
    home: onlySpace ? spaceHome(onlySpace) : '/',
    hasOwnPages: onlySpace === undefined,
  };
}

export const spaceHome = ({ username }: User): string => `${spacePrefix(username)}/`;
