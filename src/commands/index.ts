// All commands, in the order of the help. A command's file is loaded when the command is asked for.
import type { CommandEntry, CommandTree } from '../cli/command-tree.ts';
import { otherWords } from './other-words.ts';

const entry = (path: string, load: CommandEntry['load'], aliases: string[] = []): CommandEntry => ({
  path,
  load,
  aliases,
});

const vals = [
  entry('push', () => import('./push/push.ts'), ['val push']),
  entry('run', () => import('./run/run.ts')),
  entry('ls', () => import('./ls.ts'), ['list']),
  entry('copy', () => import('./copy/copy.ts')),
  entry('open', () => import('./open.ts')),
  entry('val create', () => import('./val/create.ts')),
  entry('val get', () => import('./val/get.ts')),
  entry('val set', () => import('./val/set.ts')),
  entry('val edit', () => import('./val/edit.ts')),
  entry('val rm', () => import('./val/rm.ts'), ['val delete']),
  entry('val runs', () => import('./val/runs.ts')),
  entry('version ls', () => import('./version/ls.ts'), ['version list']),
  entry('version get', () => import('./version/get.ts')),
  entry('version diff', () => import('./version/diff.ts')),
  entry('version new', () => import('./version/new.ts')),
  entry('version restore', () => import('./version/restore.ts')),
  entry('version rm', () => import('./version/rm.ts'), ['version delete']),
];

const workspace = [
  entry('init', () => import('./init.ts')),
  entry('status', () => import('./status.ts')),
  entry('diff', () => import('./diff.ts')),
  entry('pull', () => import('./pull.ts')),
  entry('forget', () => import('./forget.ts')),
];

const mine = [
  entry('me', () => import('./me.ts')),
  entry('runs', () => import('./runs.ts')),
  entry('likes', () => import('./likes.ts')),
  entry('comments', () => import('./comments.ts')),
  entry('refs', () => import('./refs.ts')),
];

const setUp = [
  entry('login', () => import('./login.ts')),
  entry('logout', () => import('./logout.ts')),
  entry('use', () => import('./use.ts')),
  entry('config', () => import('./config.ts')),
  entry('api', () => import('./api.ts')),
  entry('serve', () => import('./serve/serve.ts')),
  entry('user add', () => import('./user/add.ts')),
  entry('user ls', () => import('./user/ls.ts'), ['user list']),
  entry('user token', () => import('./user/token.ts')),
  entry('user rm', () => import('./user/rm.ts'), ['user delete']),
  entry('space add', () => import('./space/add.ts')),
  entry('space ls', () => import('./space/ls.ts'), ['space list']),
  entry('space grant', () => import('./space/grant.ts')),
  entry('space revoke', () => import('./space/revoke.ts')),
  entry('space rm', () => import('./space/rm.ts'), ['space delete']),
  entry('completion', () => import('./completion.ts')),
];

export const commandTree: CommandTree = {
  groups: [
    { title: 'Vals:', commands: vals },
    { title: 'Workspace:', commands: workspace },
    { title: 'Your things:', commands: mine },
    { title: 'Set-up:', commands: setUp },
  ],
  topics: {
    val: { title: 'Vals:', summary: 'Single vals' },
    version: { title: 'Vals:', summary: 'Versions of a val' },
    user: { title: 'Set-up:', summary: 'People of a shared service' },
    space: { title: 'Set-up:', summary: 'Vals that several people own' },
  },
  otherWords,
};
