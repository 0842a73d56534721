import { json, splitSpace } from '../request.ts';
import { recordSchemas, ref } from '../schemas.ts';
import { patternOf, type Route, route } from './route.ts';

export function openApiRoute(routes: readonly Route[]): Route {
  const own: Route = route('GET', '/v1/openapi.json', {
    admits: 'anyone',
    summary: 'This description of the API',
    responses: { 200: { type: 'object' } },
    reply: () => json(describeApi([...routes, own])),
  });
  return own;
}

const ownServer = { url: '/', description: 'The vals of the person who owns the token.' };

function describeApi(routes: readonly Route[]) {
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
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

const etag = { description: 'The state of the val, for the header If-Match.', schema: { type: 'string' } };

/** `GET /v1/vals/:id` is `getV1ValsId`. */
const operationIdOf = ({ method, path }: Route): string =>
  method.toLowerCase() + path.replace(/\W+(\w?)/g, (_, letter: string) => letter.toUpperCase());

function operationOf(route: Route) {
  const { path, admits, summary, responses, query, body, hasIfMatch } = route;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    const schema = name === 'version' ? { type: 'integer', minimum: 0 } : { type: 'string' };
    return { name, in: 'path', required: true, schema };
  });
  const { properties = {}, required = [] } = query ?? {};
  const inQuery = Object.entries(properties).map(([name, schema]) => {
    return { name, in: 'query', required: required.includes(name), schema };
  });
  const inHeader = [
    ...(hasIfMatch ? [header('If-Match', 'Change the val only if it still has this ETag.')] : []),
  ];
  const parameters = [...inPath, ...inQuery, ...inHeader];
  return {
    operationId: operationIdOf(route),
    summary,
    ...(splitSpace(`/@space${path}`).space === undefined && { servers: [ownServer] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, content]) => [status, responseOf(content)]),
      ),
      default: refusal,
    },
    security: admits === 'token' ? [{ token: [] }] : [{}, { token: [] }],
  };
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

const refusal = {
  description: 'A refusal or a failure (RFC 9457).',
  content: { 'application/problem+json': { schema: ref('Problem') } },
};

function responseOf(content: Route['responses'][number]) {
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
