// All commands, in the order of the help.
import type { CommandTree } from '../cli/command-tree.ts';
import { api } from './api.ts';
import { comments } from './comments.ts';
import { completion } from './completion.ts';
import { config } from './config.ts';
import { diff } from './diff.ts';
import { forget } from './forget.ts';
import { init } from './init.ts';
import { likes } from './likes.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { ls } from './ls.ts';
import { me } from './me.ts';
import { open } from './open.ts';
import { otherWords } from './other-words.ts';
import { pull } from './pull.ts';
import { push } from './push/push.ts';
import { refs } from './refs.ts';
import { run } from './run/run.ts';
import { runs } from './runs.ts';
import { serve } from './serve/serve.ts';
import { status } from './status.ts';
import { use } from './use.ts';
import { userAdd } from './user/add.ts';
import { userLs } from './user/ls.ts';
import { userRm } from './user/rm.ts';
import { userToken } from './user/token.ts';
import { valCreate } from './val/create.ts';
import { valEdit } from './val/edit.ts';
import { valGet } from './val/get.ts';
import { valRm } from './val/rm.ts';
import { valRuns } from './val/runs.ts';
import { versionDiff } from './version/diff.ts';
import { versionGet } from './version/get.ts';
import { versionLs } from './version/ls.ts';
import { versionNew } from './version/new.ts';
import { versionRestore } from './version/restore.ts';
import { versionRm } from './version/rm.ts';

export const commandTree: CommandTree = {
  topics: {
    val: { title: 'Vals:', summary: 'Single vals' },
    version: { title: 'Vals:', summary: 'Versions of a val' },
    user: { title: 'Set-up:', summary: 'People of a shared service' },
  },
  groups: [
    {
      title: 'Vals:',
      commands: [
        ...[push, run, ls, open],
        ...[valCreate, valGet, valEdit, valRm, valRuns],
        ...[versionLs, versionGet, versionDiff, versionNew, versionRestore, versionRm],
      ],
    },
    { title: 'Workspace:', commands: [init, status, diff, pull, forget] },
    { title: 'Your things:', commands: [me, runs, likes, comments, refs] },
    {
      title: 'Set-up:',
      commands: [login, logout, use, config, api, serve, userAdd, userLs, userToken, userRm, completion],
    },
  ],
  otherWords,
};
