import { cookieOf } from '../pages/session.ts';
import { json, splitSpace } from '../request.ts';
import { recordSchemas, ref } from '../schemas.ts';
import { patternOf, type Route, route } from './route.ts';

export function openApiRoute(routes: readonly Route[]): Route {
  const own: Route = route('GET', '/v1/openapi.json', {
    admits: 'anyone',
    summary: 'This description of the API',
    responses: { 200: { type: 'object' } },
    reply: (request) => json(describeApi([...routes, own], { cookie: cookieOf(request).name })),
  });
  return own;
}

const ownServer = { url: '/', description: 'The vals of the person who owns the token.' };

function describeApi(routes: readonly Route[], { cookie }: { cookie: string }) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const pattern = patternOf(route.path);
    paths[pattern] = { ...paths[pattern], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'vals',
      version: '1',
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Named pieces of code with all their versions. Answers may have more fields than this description. ' +
        'To read a list to its end, follow links.next.',
    },
    servers: [
      ownServer,
      {
        url: '/@{space}',
        description: 'The vals of a space, for its members.',
        variables: { space: { default: 'acme' } },
      },
    ],
    paths,
    components: {
      schemas: recordSchemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: cookie, description: 'Made by POST /sign-in.' },
      },
    },
  };
}

const etag = { description: 'The state of the val, for the header If-Match.', schema: { type: 'string' } };

/** `GET /v1/vals/:id` is `getV1ValsId`. */
const operationIdOf = ({ method, path }: Route): string =>
  method.toLowerCase() + path.replace(/\W+(\w?)/g, (_, letter: string) => letter.toUpperCase());

function operationOf(route: Route) {
  const { path, admits, summary, responses, query, body, form, hasIfMatch } = route;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    const schema = name === 'version' ? { type: 'integer', minimum: 0 } : { type: 'string' };
    return { name, in: 'path', required: true, schema };
  });
  const { properties = {}, required = [] } = query ?? {};
  const inQuery = Object.entries(properties).map(([name, schema]) => {
    return { name, in: 'query', required: required.includes(name), schema };
  });
  const inHeader = [
    ...(hasIfMatch
      ? [header('If-Match', 'Change the val only if it still has this ETag.', { required: false })]
      : []),
    ...(admits === 'form'
      ? [header('Origin', 'The base URL of the service, as browsers send it.', { required: true })]
      : []),
  ];
  const parameters = [...inPath, ...inQuery, ...inHeader];
  return {
    operationId: operationIdOf(route),
    summary,
    ...(splitSpace(`/@space${path}`).space === undefined && { servers: [ownServer] }),
    ...(parameters.length > 0 && { parameters }),
    ...((body || form) && { requestBody: requestBodyOf({ body, form }) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, content]) => [status, responseOf(status, content)]),
      ),
      ...refusalsOf(route),
    },
    security: securityOf[admits],
  };
}

const [token, session, without] = [{ token: [] }, { session: [] }, {}];
const securityOf: Record<Route['admits'], readonly object[]> = {
  token: [token],
  anyone: [without, token],
  page: [without, token, session],
  form: [without, session],
  'any host': [without],
};

const requestBodyOf = ({ body, form }: Pick<Route, 'body' | 'form'>) => ({
  required: true,
  ...(body && { description: 'It is read as JSON, whatever the header Content-Type says.' }),
  content: {
    ...(body && { 'application/json': { schema: body } }),
    ...(form && { 'application/x-www-form-urlencoded': { schema: form } }),
  },
});

const header = (name: string, description: string, { required }: { required: boolean }) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

const problem = { 'application/problem+json': { schema: ref('Problem') } };
const pageOrProblem = { 'text/html': { schema: { type: 'string' } }, ...problem };

/** A browser gets a page, and other programs a problem document. */
function refusalsOf({ admits, path }: Route) {
  const isShown = admits === 'page' || admits === 'form';
  const content = isShown ? pageOrProblem : problem;
  const asksForToken = admits === 'page' || path === '/sign-in';
  return {
    ...(admits === 'token' && { 401: { description: 'A token is missing, or has ended.', content } }),
    ...(asksForToken && { 401: { description: 'The form to sign in, or a refusal.', content } }),
    '4XX': { description: 'A refusal (RFC 9457).', content },
    default: { description: 'A failure (RFC 9457).', content },
  };
}

function responseOf(status: string, content: Route['responses'][number]) {
  if (status === '303') {
    const Location = { description: 'Where to go on.', schema: { type: 'string' } };
    return { description: 'Go on at another page.', headers: { Location } };
  }
  if (content === 'nothing') return { description: 'Done.' };
  if (typeof content === 'object') {
    return {
      description: 'The reply.',
      ...(content.$ref === ref('Val').$ref && { headers: { ETag: etag } }),
      content: { 'application/json': { schema: content } },
    };
  }
  return { description: 'The reply.', content: { [content]: { schema: { type: 'string' } } } };
}
