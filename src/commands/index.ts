// All commands, in the order of the help.
import type { CommandTree } from '../program.ts';
import { api } from './api.ts';
import { comments } from './comments.ts';
import { config } from './config.ts';
import { likes } from './likes.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { me } from './me.ts';
import { push } from './push.ts';
import { refs } from './refs.ts';
import { runs } from './runs.ts';
import { serve } from './serve.ts';
import { valCreate } from './val/create.ts';
import { valGet } from './val/get.ts';
import { valRm } from './val/rm.ts';
import { valRuns } from './val/runs.ts';
import { versionGet } from './version/get.ts';
import { versionLs } from './version/ls.ts';
import { versionNew } from './version/new.ts';
import { versionRm } from './version/rm.ts';

export const commandTree: CommandTree = {
  topics: {
    val: { title: 'Vals:', summary: 'Create, read and delete vals: create, get, rm, runs' },
    version: { title: 'Vals:', summary: 'The versions of a val: ls, new, get, rm' },
  },
  groups: [
    { title: 'Vals:', commands: [push, valCreate, valGet, valRm, valRuns] },
    { title: 'Vals:', commands: [versionLs, versionNew, versionGet, versionRm] },
    { title: 'Your things:', commands: [me, runs, likes, comments, refs] },
    { title: 'Set-up:', commands: [login, logout, config, api, serve] },
  ],
};
