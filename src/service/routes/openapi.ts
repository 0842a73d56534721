import { json } from '../request.ts';
import type { Check } from './fields.ts';
import { patternOf, type Route, route } from './route.ts';
import { recordSchemas, ref } from './schemas.ts';

export function openApiRoute(routes: readonly Route[]): Route {
  const own: Route = route('GET', '/v1/openapi.json', {
    access: 'anyone',
    summary: 'This description of the API',
    responses: { 200: { type: 'object' } },
    answer: () => json(describeApi([...routes, own])),
  });
  return own;
}

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
      { url: '/', description: 'The vals of the person who owns the token.' },
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
      responses: {
        Problem: {
          description: 'A refusal or a failure (RFC 9457).',
          content: { 'application/problem+json': { schema: ref('Problem') } },
        },
      },
    },
  };
}

function operationOf({ path, access, summary, responses, query, body }: Route) {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
  const inQuery = Object.entries(query?.fields ?? {}).map(([name, { schema, isRequired = false }]) => {
    return { name, in: 'query', required: isRequired, schema };
  });
  const parameters = [...inPath, ...inQuery];
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBodyOf(body) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, content]) => [status, responseOf(content)]),
      ),
      default: { $ref: '#/components/responses/Problem' },
    },
    security: access === 'token' ? [{ token: [] }] : [{}, { token: [] }],
  };
}

function requestBodyOf({ fields }: Check<never, unknown>) {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const properties = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]));
  return {
    required: true,
    content: { 'application/json': { schema: { type: 'object', required, properties } } },
  };
}

function responseOf(content: Route['responses'][number]) {
  if (content === 'nothing') return { description: 'Done.' };
  if (typeof content === 'object') {
    return { description: 'The answer.', content: { 'application/json': { schema: content } } };
  }
  return { description: 'The answer.', content: { [content]: { schema: { type: 'string' } } } };
}
