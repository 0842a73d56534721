import { spawn } from 'node:child_process';
import { type Context, defineCommand } from '../command-line/command.ts';
import { recordOf } from '../command-line/resolve-vals.ts';
import { val } from '../command-line/value-types.ts';
import { BadResponseError, NotFoundError, RefusedError, UsageError, undefinedIf } from '../errors.ts';
import { notThisService } from '../failures/explain.ts';
import type { GivenVal } from '../find-val/find-val.ts';
import { type Hints, sh } from '../lib/hint.ts';
import { textAt } from '../lib/json.ts';
import type { System } from '../lib/system.ts';
import { column } from '../output/column.ts';
import * as routes from '../routes.ts';
import { chosenBaseUrl } from '../settings/settings.ts';

export const command = defineCommand({
  summary: 'Open a val in your browser',
  description:
    'Open the page of a val in your browser ($BROWSER or the default browser), or your own page if no val is given. ' +
    'Without a browser, and in a pipe, the command prints the address. If the service can, the address signs the browser ' +
    'in, for one visit.',
  arguments: {
    val: { description: 'the name, id, start of the id, or file of a val', value: val(), optional: true },
  },
  examples: ['vals open hello', 'vals open hello --json | jq -r .url'],
  columns: [column('url')],
  async run({ api: connect, settings, out: { forPerson, say, redact }, host: { env } }, { val }) {
    if (settings.local.value) {
      throw new UsageError(
        'With --local, the service ends when the command ends, so a browser cannot reach the service.',
        {
          hint: sh`To start a service that shows vals in the browser, run ${['serve']}.`,
        },
      );
    }
    const api = await connect();
    const record = await (val === undefined
      ? api.record(routes.me())
      : recordOf(api, val, { tokenIsOptional: true }));
    const address = addressOf(textAt(record, 'url'), val, redact);
    const { href } = chosenBaseUrl(settings);
    const isPageOfService =
      address === `${href}/${val === undefined ? '' : `vals/${encodeURIComponent(val.id)}`}`;
    // Few services make links that sign the browser in.
    const noLink = undefinedIf(NotFoundError, RefusedError, BadResponseError);
    const link =
      isPageOfService && settings.token
        ? await api.record(routes.pageLink(val?.id)).catch(noLink)
        : undefined;
    const url = link === undefined ? address : addressOf(textAt(link, 'url'), val, redact);
    if (!forPerson) return { kind: 'record', record: { url } };
    if (!(await openInBrowser(url, env, settings.system))) return { kind: 'text', text: `${url}\n` };
    say({ kind: 'hint', text: `Opened ${url}` });
    return { kind: 'nothing' };
  },
});

function addressOf(
  text: string | undefined,
  val: GivenVal | undefined,
  redact: Context['out']['redact'],
): string {
  if (text === undefined)
    throw new NotFoundError(`The service names no page for ${val?.word ?? 'you'}, so nothing was opened.`);
  // The address must not contain the token, because other users of this machine can see a browser's command line.
  if (redact(text) !== text) throw unusable('an address that contains your token', notThisService);
  // Only http:// and https:// are accepted, because a hostile service could send an address that starts a program.
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).href;
  const asked = val === undefined ? ['me', '--json'] : ['val', 'get', val.word, '--json'];
  const seeAnswer = sh`To see the answer of the service, run ${asked}.`;
  throw unusable('an address that is not http:// or https://', seeAnswer);
}

const unusable = (what: string, hint: Hints): BadResponseError =>
  new BadResponseError(`The service sent ${what}, so nothing was opened.`, { hint });

async function openInBrowser(
  address: string,
  env: NodeJS.ProcessEnv,
  { platform }: System,
): Promise<boolean> {
  const [program, ...words] = browserOf(env, platform);
  return program !== undefined && (await starts(program, [...words, address]));
}

function browserOf(env: NodeJS.ProcessEnv, platform: string): string[] {
  if (env.BROWSER?.trim()) return env.BROWSER.trim().split(/\s+/);
  if (platform === 'darwin') return ['open'];
  // The command `start` is not used, because it needs a shell, and a shell could run a part of the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : [];
}

const starts = (program: string, args: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
