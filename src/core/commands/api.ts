import { type Context, defineCommand } from '../command-line/command.ts';
import { parsedText, path, text, wordLike } from '../command-line/value-types.ts';
import { LocalError, UsageError } from '../errors.ts';
import { readText } from '../files/read-text.ts';
import type { Api } from '../http/api.ts';
import type { Call } from '../http/call.ts';
import { isRead } from '../http/request/faults.ts';
import { sh } from '../lib/hint.ts';
import { type JsonObject, parseJson } from '../lib/json.ts';
import type { Result } from '../output/out.ts';
import { dryRun, plan } from './shared/options.ts';

type Field = [key: string, value: string];

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

export const command = defineCommand({
  summary: 'Send any request to the service',
  description:
    'Send any request to the service, and print the JSON of the answer. The default method is GET. With fields ' +
    'or --input, the default method is POST.',
  details:
    'Use this command for routes that have no command of their own yet. In GET, HEAD, OPTIONS and DELETE requests, ' +
    'and in requests with --input, fields go into the query. In other requests, fields go into a JSON body. The ' +
    'command needs a token, and sends it to the base URL only.',
  arguments: {
    path: { description: 'the path below the base URL, such as /v1/me', value: text('path') },
  },
  options: {
    method: { description: 'the HTTP method', value: wordLike(methods, 'method') },
    field: {
      description: 'a field of the request',
      value: parsedText('key=value', parseField),
      repeatable: true,
    },
    input: { description: 'a JSON file to send as the body, or - for standard input', value: path() },
    paginate: { description: 'read all pages of a list, and print one array' },
    dryRun,
  },
  examples: [
    'vals api /v1/me',
    'vals api -X GET "/v1/me/runs?error=true" -f limit=5',
    'vals api -X PUT /v1/vals -f name=one -f "code=export default 1"',
    'vals api /v1/me/runs --paginate --ndjson | jq -r .id',
  ],
  columns: [],
  async run(context, { path, method: named, field = [], input, paginate, dryRun }) {
    const target = parsePath(path);
    const sends = field.length > 0 || input !== undefined;
    const method = named === undefined ? (sends ? 'POST' : 'GET') : parseMethod(named);
    checkCombination(method, input, paginate);
    const body = input === undefined ? undefined : await readBody(input, context);
    const inQuery = isRead(method) || method === 'DELETE' || body !== undefined;
    const call: Call = {
      route: 'any',
      method,
      path: inQuery ? withQuery(target, field) : target.path + target.query,
      ...(body ?? (!inQuery && field.length > 0 && { body: Object.fromEntries(field) })),
      isRaw: true,
    };
    if (dryRun) return plan(call);
    const api = await context.api();
    if (paginate) return everyPage(api, call, context.flags);
    const { body: value } = await api.send(call);
    return value === undefined ? { kind: 'nothing' } : { kind: 'json', value };
  },
});

function parseMethod(word: string): string {
  const method = word.toUpperCase();
  if (/^[A-Z]+(-[A-Z]+)*$/.test(method) && method !== 'CONNECT' && method !== 'TRACE') return method;
  throw new UsageError(`"${word}" is not an HTTP method.`, { hint: 'For example GET.' });
}

interface UserPath {
  path: string;
  query: string;
}

/** The request goes below the base URL, because it carries the token. */
function parsePath(text: string): UserPath {
  const isAddress = /^[a-z][a-z\d+.-]*:|^[/\\]{2}/i.test(text);
  if (text === '' || isAddress || text.includes('#')) {
    throw new UsageError(`"${text}" is not a path below the base URL.`, {
      hint: 'Give the part after the base URL, such as /v1/me. To use another service, add --base-url.',
    });
  }
  const { pathname, search } = new URL(`http://service/${text.replace(/^\//, '')}`);
  return { path: pathname, query: search };
}

function parseField(word: string): Field {
  const equals = word.indexOf('=');
  if (equals > 0) return [word.slice(0, equals), word.slice(equals + 1)];
  throw new UsageError('The value of -f needs the form key=value.', {
    hint: 'For example -f name=hello.',
  });
}

function checkCombination(method: string, input: string | undefined, paginate: boolean | undefined): void {
  if (input !== undefined && isRead(method)) {
    throw new UsageError(`A ${method} request has no body, so --input cannot be used.`, {
      hint: 'To send values in the query of the request, use -f.',
    });
  }
  if (paginate && method !== 'GET') {
    throw new UsageError(`--paginate works only with GET, but the method of the request is ${method}.`, {
      hint: sh`To send fields in the query, run ${['api', '-X', 'GET', '/v1/me/runs', '--paginate']}.`,
    });
  }
}

async function readBody(file: string, context: Context): Promise<Pick<Call, 'text' | 'body'>> {
  const text = await readText(file, context);
  try {
    return { text, body: parseJson(text) };
  } catch (error) {
    throw new LocalError(`${file === '-' ? 'Standard input' : `The file ${file}`} is not JSON.`, {
      hint: 'The body of a request must be JSON.',
      cause: error,
    });
  }
}

function withQuery({ path, query }: UserPath, fields: readonly Field[]): string {
  const more = new URLSearchParams([...fields]);
  if (more.size === 0) return path + query;
  return `${path}${query === '' ? '?' : `${query}&`}${more}`;
}

async function everyPage(api: Api, { method, path }: Call, flags: Context['flags']): Promise<Result> {
  const [bare = '', query = ''] = path.split(/\?(.*)/s);
  const pages = api.pages({ route: 'any', method, path: bare, query: new URLSearchParams(query) });
  if (flags.json || flags.ndjson) return { kind: 'list', rows: pages };
  const records: JsonObject[] = [];
  for await (const rows of pages) {
    for (const record of rows.records) records.push(record);
  }
  return { kind: 'json', value: records };
}
