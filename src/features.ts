import type { CommandEntry, CommandTree, Effect } from './core/command-line/command-tree.ts';
import { wordsOfOthers } from './core/commands/words-of-others.ts';

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
  tool('push', 'updates', () => import('./core/commands/push/push.ts'), ['val push']),
  tool('val create', 'adds', () => import('./core/commands/val/create.ts')),
  tool('val get', 'reads', () => import('./core/commands/val/get.ts')),
  tool('val set', 'updates', () => import('./core/commands/val/set.ts')),
  entry('val edit', 'adds', () => import('./core/commands/val/edit.ts')),
  tool('val rm', 'deletes', () => import('./core/commands/val/rm.ts'), ['val delete']),
  entry('val runs', 'reads', () => import('./core/commands/val/runs.ts')),
  tool('version ls', 'reads', () => import('./core/commands/version/ls.ts'), ['version list']),
  tool('version get', 'reads', () => import('./core/commands/version/get.ts')),
  tool('version diff', 'reads', () => import('./core/commands/version/diff.ts')),
  tool('version new', 'adds', () => import('./core/commands/version/new.ts')),
  tool('version restore', 'adds', () => import('./core/commands/version/restore.ts')),
  tool('version rm', 'deletes', () => import('./core/commands/version/rm.ts'), ['version delete']),
  tool('ls', 'reads', () => import('./core/commands/ls.ts'), ['list']),
  tool('runs', 'reads', () => import('./core/commands/runs/runs.ts')),
  tool('me', 'reads', () => import('./core/commands/me.ts')),
  tool('likes', 'reads', () => import('./core/commands/likes.ts')),
  tool('comments', 'reads', () => import('./core/commands/comments.ts')),
  tool('refs', 'reads', () => import('./core/commands/refs.ts')),
  entry('copy', 'updates', () => import('./workspace/commands/copy/copy.ts')),
  entry('open', 'reads', () => import('./core/commands/open.ts')),
  entry('api', 'deletes', () => import('./core/commands/api.ts')),
];

const workspace = [
  entry('init', 'adds', () => import('./workspace/commands/init.ts')),
  entry('clone', 'adds', () => import('./workspace/commands/clone.ts')),
  tool('status', 'reads', () => import('./workspace/commands/status.ts')),
  tool('diff', 'reads', () => import('./workspace/commands/diff.ts')),
  tool('pull', 'updates', () => import('./workspace/commands/pull.ts')),
  tool('check', 'reads', () => import('./workspace/commands/check.ts')),
  tool('run', 'runs', () => import('./run/commands/run.ts')),
];

/** What only the operator of a service needs comes last. */
const setUp = [
  entry('login', 'updates', () => import('./core/commands/login.ts')),
  entry('logout', 'deletes', () => import('./core/commands/logout.ts')),
  entry('use', 'updates', () => import('./core/commands/use/use.ts')),
  entry('config', 'reads', () => import('./core/commands/config.ts')),
  entry('mcp', 'updates', () => import('./agents/commands/mcp.ts')),
  entry('completion', 'reads', () => import('./core/commands/completion.ts')),
  entry('serve', 'updates', () => import('./service/commands/serve/serve.ts')),
  entry('user add', 'adds', () => import('./service/commands/user/add.ts')),
  entry('user ls', 'reads', () => import('./service/commands/user/ls.ts'), ['user list']),
  entry('user token', 'updates', () => import('./service/commands/user/token.ts')),
  entry('user rm', 'deletes', () => import('./service/commands/user/rm.ts'), ['user delete']),
  entry('space add', 'adds', () => import('./service/commands/space/add.ts')),
  entry('space ls', 'reads', () => import('./service/commands/space/ls.ts'), ['space list']),
  entry('space grant', 'updates', () => import('./service/commands/space/grant.ts')),
  entry('space revoke', 'deletes', () => import('./service/commands/space/revoke.ts')),
  entry('space rm', 'deletes', () => import('./service/commands/space/rm.ts'), ['space delete']),
  entry('token add', 'adds', () => import('./service/commands/token/add.ts')),
  entry('token ls', 'reads', () => import('./service/commands/token/ls.ts'), ['token list']),
  entry('token rm', 'deletes', () => import('./service/commands/token/rm.ts'), ['token delete']),
  entry('backup', 'adds', () => import('./service/commands/backup.ts')),
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
