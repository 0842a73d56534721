// The commands that only talk to a service, which need nothing of workspaces: also a program of their own, which starts sooner.
import type { CommandTree } from '../cli/command-tree.ts';
import { api } from './api.ts';
import { comments } from './comments.ts';
import { config } from './config.ts';
import { likes } from './likes.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { ls } from './ls.ts';
import { me } from './me.ts';
import { open } from './open.ts';
import { refs } from './refs.ts';
import { runs } from './runs.ts';
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

export const topics: CommandTree['topics'] = {
  val: { title: 'Vals:', summary: 'Single vals' },
  version: { title: 'Vals:', summary: 'Versions of a val' },
  user: { title: 'Set-up:', summary: 'People of a shared service' },
};

export const asking = {
  vals: [
    ...[ls, open],
    ...[valCreate, valGet, valEdit, valRm, valRuns],
    ...[versionLs, versionGet, versionDiff, versionNew, versionRestore, versionRm],
  ],
  things: [me, runs, likes, comments, refs],
  settings: [login, logout, use, config, api],
  people: [userAdd, userLs, userToken, userRm],
};

export const commandTree: CommandTree = {
  topics,
  groups: [
    { title: 'Vals:', commands: asking.vals },
    { title: 'Your things:', commands: asking.things },
    { title: 'Set-up:', commands: [...asking.settings, ...asking.people] },
  ],
  otherWords: {},
};
