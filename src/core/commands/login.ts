import { type Context, defineCommand } from '../command-line/command.ts';
import { text } from '../command-line/value-types.ts';
import { unsetVariable } from '../command-line/write-hints.ts';
import { AuthError, BadResponseError, NoSpaceError, UsageError, ValsError } from '../errors.ts';
import { notThisService } from '../failures/explain.ts';
import { readText } from '../files/read-text.ts';
import { type Hints, hintList, sh } from '../lib/hint.ts';
import { isObject, type JsonObject, textAt } from '../lib/json.ts';
import { hasLoneSurrogate } from '../lib/visible.ts';
import { column } from '../output/column.ts';
import * as routes from '../routes.ts';
import { type BaseUrl, isOpenHttp, parseBaseUrl, spaceIn } from '../settings/addresses.ts';
import { updateConfig } from '../settings/config-file.ts';
import { checkToken } from '../settings/settings.ts';
import { warnIfSet } from './shared/options.ts';

export const command = defineCommand({
  summary: 'Sign in to a service and store its token',
  description:
    'Sign in to a service, make it the default, and store the token in a file that only you can read. The token is stored ' +
    'only if the service accepts it, and is sent to no other service. Without a base URL, the command asks for the ' +
    'address of the service.',
  arguments: {
    baseUrl: {
      description: 'the base URL of the service, such as https://api.example.com',
      value: text('base-url'),
      optional: true,
    },
  },
  options: { withToken: { description: 'read the token from standard input' } },
  examples: [
    'vals login https://api.example.com',
    'vals login https://api.example.com --with-token < token.txt',
  ],
  columns: [column('username'), column('base url', 'baseUrl'), column('config file', 'configFile')],
  async run(context, { baseUrl: address, withToken = false }) {
    const {
      settings,
      out: { say },
    } = context;
    const { value: isLocal, source } = settings.local;
    if (isLocal) {
      const unset = `run \`${unsetVariable(settings.system.platform, 'VALS_LOCAL')}\` first`;
      throw new UsageError('The embedded service needs no sign-in.', {
        hint: `To sign in to another service, ${source === '--local' ? 'omit --local' : unset}.`,
      });
    }
    const { configFile } = settings;
    // This call also reports a broken config file before the user types a token.
    const { baseUrl: before } = settings.readConfig();
    const baseUrl =
      givenBaseUrl(context, address) ?? settings.baseUrl?.value ?? (await askForBaseUrl(context, withToken));
    const token = withToken ? await readToken(context) : await askForToken(context, baseUrl);
    const user = await signIn(context, baseUrl, token).catch((error) => {
      throw namingBaseUrl(error, baseUrl, withToken);
    });
    await updateConfig(settings, ({ tokens }) => ({
      baseUrl: baseUrl.href,
      tokens: { ...tokens, [baseUrl.origin]: token },
    }));
    warnIfSet(context, 'VALS_TOKEN');
    warnIfSet(context, 'VALS_LOCAL');
    if (context.flags.allowHttp && isOpenHttp(new URL(baseUrl.href))) {
      say({ kind: 'note', text: 'Later commands need VALS_ALLOW_HTTP=1 or --allow-http, too.' });
    }
    if (before !== undefined && before !== baseUrl.href) {
      say({
        kind: 'note',
        text: sh`${baseUrl.href} is now the default service. To go back, run ${['use', before]}.`,
      });
    }
    say({
      kind: 'hint',
      text: [sh`To send a file, run ${['push', '<paths...>']}.`, sh`To see your user, run ${['me']}.`],
    });
    // In a space, `user` is the space, and `user.actor` is the person who signed in.
    const username = textAt(user, 'actor.username') ?? textAt(user, 'username');
    const space = spaceIn(baseUrl);
    const asUser = username === undefined ? '' : ` as ${username}`;
    const inSpace = space ? `, in the space ${space.name}` : '';
    say({ kind: 'done', text: `Signed in${asUser}${inSpace}.` });
    const record = { username: username ?? null, baseUrl: baseUrl.href, configFile };
    return { kind: 'record', record };
  },
});

function givenBaseUrl({ flags, settings }: Context, address: string | undefined): BaseUrl | undefined {
  if (address === undefined) return undefined;
  if (flags.baseUrl !== undefined) {
    throw new UsageError('The base URL was given twice.', { hint: 'Omit --base-url.' });
  }
  return parseBaseUrl(address, 'the command line', settings.allowHttp.value);
}

async function readToken(context: Context): Promise<string> {
  const token = (await readText('-', context)).trim();
  if (token !== '') return checkToken(token, 'standard input');
  throw new AuthError('No token was given, because standard input was empty.', {
    hint: 'Nothing was stored. Pipe the token into the command.',
  });
}

async function askForToken(
  { settings, ask: prompt, out: { say } }: Context,
  { href }: BaseUrl,
): Promise<string> {
  const origin = "Create a token in the service's settings, or ask the person who runs the service.";
  say({
    kind: 'lines',
    text:
      `Signing in to ${href}\n` +
      `${origin} Paste the token below. The terminal does not show the token.\n` +
      `If the service accepts the token, the token is stored in a file that only you can read:\n${settings.configFile}\n`,
  });
  const answer = await prompt.secret(`Token for ${href}: `, [
    'The token can be piped in.',
    sh`To read it from standard input, run ${['login', href, '--with-token']}.`,
  ]);
  if (answer !== '') return checkToken(answer, 'the prompt');
  throw new AuthError('No token was given.', {
    hint: 'Nothing was stored. Run the command again, and paste the token.',
  });
}

const signInHint = 'Nothing was stored. Check the token, then sign in again.';

/** A user has at least one of these fields. An error that is sent with status 200 has none of them. */
const userFields = ['id', 'username', 'bio', 'email', 'profileImageUrl', 'tier', 'url', 'links'];

async function signIn(context: Context, baseUrl: BaseUrl, token: string): Promise<JsonObject> {
  context.out.say({ kind: 'progress', text: 'Waiting for the service' });
  const user = await (await context.api({ token, baseUrl, signInHint })).record(routes.me());
  if (userFields.some((field) => (user[field] ?? null) !== null)) return user;
  throw new BadResponseError('The service did not tell who the token belongs to.', {
    hint: ['Nothing was stored.', ...hintList(notThisService)],
  });
}

/** A token may be good for one space alone, or the space may not be there. Names the base URL that works. */
function namingBaseUrl(error: unknown, baseUrl: BaseUrl, withToken: boolean): unknown {
  if (!(error instanceof ValsError)) return error;
  const service = spaceIn(baseUrl)?.service ?? baseUrl;
  const login = (href: string) => ['login', href, ...(withToken ? ['--with-token'] : [])];
  const space = isObject(error.facts.body) ? textAt(error.facts.body, 'space') : undefined;
  if (error instanceof NoSpaceError)
    error.facts.hint = ['Nothing was stored.', sh`To sign in to your own vals, run ${login(service.href)}.`];
  else if (error instanceof AuthError && space !== undefined && !hasLoneSurrogate(space))
    error.facts.hint = [
      'Nothing was stored.',
      sh`To sign in to that space, run ${login(`${service.href}/@${encodeURIComponent(space)}`)}.`,
    ];
  return error;
}

async function askForBaseUrl({ ask: prompt, settings }: Context, withToken: boolean): Promise<BaseUrl> {
  const instead: Hints = [
    sh`To name the service, run ${['login', '<base-url>']}.`,
    'The embedded service (--local) needs no sign-in.',
  ];
  const question = 'Base URL of the service, such as https://api.example.com: ';
  const answer = withToken || !prompt.isAtTerminal() ? '' : await prompt.text(question, instead);
  if (answer !== '') return parseBaseUrl(answer, 'the prompt', settings.allowHttp.value);
  throw new UsageError('No service was given, so there is nothing to sign in to.', { hint: instead });
}
