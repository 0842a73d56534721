import type { CommandEntry, CommandTree, Effect } from '../cli/command-tree.ts';
import { wordsOfOthers } from './words-of-others.ts';

type Load = CommandEntry['load'];

const entry = (path: string, effect: Effect, load: Load, aliases: string[] = []): CommandEntry => ({
  path,
  aliases,
  effect,
  isTool: false,
  load,
});

const tool = (path: string, effect: Effect, load: Load, aliases: string[] = []): CommandEntry => ({
  ...entry(path, effect, load, aliases),
  isTool: true,
});

/** What the API has comes first. */
const vals = [
  tool('push', 'updates', () => import('./push/push.ts'), ['val push']),
  tool('val create', 'adds', () => import('./val/create.ts')),
  tool('val get', 'reads', () => import('./val/get.ts')),
  tool('val set', 'updates', () => import('./val/set.ts')),
  entry('val edit', 'adds', () => import('./val/edit.ts')),
  tool('val rm', 'deletes', () => import('./val/rm.ts'), ['val delete']),
  entry('val runs', 'reads', () => import('./val/runs.ts')),
  tool('version ls', 'reads', () => import('./version/ls.ts'), ['version list']),
  tool('version get', 'reads', () => import('./version/get.ts')),
  tool('version diff', 'reads', () => import('./version/diff.ts')),
  tool('version new', 'adds', () => import('./version/new.ts')),
  tool('version restore', 'adds', () => import('./version/restore.ts')),
  tool('version rm', 'deletes', () => import('./version/rm.ts'), ['version delete']),
  tool('ls', 'reads', () => import('./ls.ts'), ['list']),
  tool('runs', 'reads', () => import('./runs/runs.ts')),
  tool('me', 'reads', () => import('./me.ts')),
  tool('likes', 'reads', () => import('./likes.ts')),
  tool('comments', 'reads', () => import('./comments.ts')),
  tool('refs', 'reads', () => import('./refs.ts')),
  entry('copy', 'updates', () => import('./copy/copy.ts')),
  entry('open', 'reads', () => import('./open.ts')),
  entry('api', 'deletes', () => import('./api.ts')),
];

const workspace = [
  entry('init', 'adds', () => import('./init.ts')),
  entry('clone', 'adds', () => import('./clone.ts')),
  tool('status', 'reads', () => import('./status.ts')),
  tool('diff', 'reads', () => import('./diff.ts')),
  tool('pull', 'updates', () => import('./pull/pull.ts')),
  tool('check', 'reads', () => import('./check.ts')),
  tool('run', 'runs', () => import('./run/run.ts')),
];

/** What only the operator of a service needs comes last. */
const setUp = [
  entry('login', 'updates', () => import('./login.ts')),
  entry('logout', 'deletes', () => import('./logout.ts')),
  entry('use', 'updates', () => import('./use/use.ts')),
  entry('config', 'reads', () => import('./config.ts')),
  entry('mcp', 'updates', () => import('./mcp.ts')),
  entry('completion', 'reads', () => import('./completion.ts')),
  entry('serve', 'updates', () => import('./serve/serve.ts')),
  entry('user add', 'adds', () => import('./user/add.ts')),
  entry('user ls', 'reads', () => import('./user/ls.ts'), ['user list']),
  entry('user token', 'updates', () => import('./user/token.ts')),
  entry('user rm', 'deletes', () => import('./user/rm.ts'), ['user delete']),
  entry('space add', 'adds', () => import('./space/add.ts')),
  entry('space ls', 'reads', () => import('./space/ls.ts'), ['space list']),
  entry('space grant', 'updates', () => import('./space/grant.ts')),
  entry('space revoke', 'deletes', () => import('./space/revoke.ts')),
  entry('space rm', 'deletes', () => import('./space/rm.ts'), ['space delete']),
  entry('token add', 'adds', () => import('./token/add.ts')),
  entry('token ls', 'reads', () => import('./token/ls.ts'), ['token list']),
  entry('token rm', 'deletes', () => import('./token/rm.ts'), ['token delete']),
  entry('backup', 'adds', () => import('./backup.ts')),
];

export const commandTree: CommandTree = {
  groups: [
    { title: 'Vals:', commands: vals },
    { title: 'Workspace and running:', commands: workspace },
    { title: 'Set-up and services of your own:', commands: setUp },
  ],
  topics: {
    val: 'Single vals',
    version: 'Versions of a val',
    user: 'People of a shared service',
    space: 'Spaces of a team',
    token: 'Tokens of your own',
  },
  wordsOfOthers,
};
