import { parseBody, readBytes } from '../body.ts';
import { check, checkQuery, type Schema } from '../json-schema.ts';
import { headerOf, type ServiceReply, type ServiceRequest } from '../request.ts';
import type { WriteOptions } from '../store/write-as.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Route {
  method: Method;
  path: string;
  /**
   * `page`: anyone, also below a space, because a browser may have a session instead of a token. `form`: the route itself
   * checks the Origin header and the token.
   */
  admits: 'token' | 'anyone' | 'page' | 'form' | 'any host';
  summary: string;
  /** Whether the write can be made to depend on the state of the val, with the header If-Match. */
  hasIfMatch?: boolean;
  responses: Record<number, Schema | 'text/html' | 'text/plain' | 'application/typescript' | 'nothing'>;
  query?: Schema;
  body?: Schema;
  /** The fields of a form, which the route itself reads. */
  form?: Schema;
  reply(request: ServiceRequest, params: Record<string, string>): ServiceReply | Promise<ServiceReply>;
}

export const patternOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

type ParamsIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

interface Definition<Path extends string, CheckedQuery, CheckedBody>
  extends Pick<Route, 'summary' | 'responses' | 'hasIfMatch' | 'form'> {
  admits?: Route['admits'];
  query?: Schema<CheckedQuery>;
  body?: Schema<CheckedBody>;
  reply(
    request: ServiceRequest,
    input: {
      params: Record<ParamsIn<Path>, string>;
      query: CheckedQuery;
      body: CheckedBody;
      options: WriteOptions;
    },
  ): ServiceReply | Promise<ServiceReply>;
}

export function route<Path extends string, CheckedQuery = undefined, CheckedBody = undefined>(
  method: Method,
  path: Path,
  definition: Definition<Path, CheckedQuery, CheckedBody>,
): Route {
  const { query, body, reply } = definition;
  return {
    admits: 'token',
    ...definition,
    method,
    path,
    async reply(request, params) {
      const bytes = body && (await readBytes(request));
      const input = {
        params,
        query: query && checkQuery(query, queryOf(request)),
        body: bytes && check(body, parseBody(bytes)),
        options: {
          ifMatch: headerOf(request, 'if-match')
            ?.split(',')
            .map((tag) => tag.trim()),
          origin: request.origin,
        },
      };
      return reply(request, input as Parameters<typeof reply>[1]);
    },
  };
}

/** A position counts more than an offset, which is ignored beside it. */
function queryOf({ url }: ServiceRequest): URLSearchParams {
  const given = new URLSearchParams(url.searchParams);
  if (given.has('after')) given.delete('offset');
  return given;
}

export function routeFinder(routes: readonly Route[]) {
  const table = routes.map((route) => ({ route, parts: route.path.split('/') }));
  return (method: string, path: string) => {
    const encoded = path.split('/');
    const asLong = table.filter(({ parts }) => parts.length === encoded.length);
    const given = encoded.map(decode);
    const onPath = asLong.filter(({ parts }) =>
      parts.every((part, index) => (part.startsWith(':') ? isParam(given[index]) : part === given[index])),
    );
    const wanted = method === 'HEAD' ? 'GET' : method;
    const found = onPath.find(({ route }) => route.method === wanted);
    const params: Record<string, string> = {};
    for (const [index, part] of (found?.parts ?? []).entries()) {
      if (part.startsWith(':')) params[part.slice(1)] = given[index] ?? '';
    }
    const allowedMethods = onPath.flatMap(({ route }) =>
      route.method === 'GET' ? ['GET', 'HEAD'] : [route.method],
    );
    return { route: found?.route, params, allowedMethods };
  };
}

/** No id and no name contains NUL, which PostgreSQL refuses. */
const isParam = (part: string | undefined): boolean => !!part && !part.includes('\0');

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
