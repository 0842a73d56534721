import { agents } from './agents/feature.ts';
import type { Feature } from './core/command-line/command.ts';
import { run } from './run/feature.ts';
import { service } from './service/feature.ts';
import { workspace } from './workspace/feature.ts';

/** In the order of the help. Without one of them, its folder can be deleted. */
export const features: readonly Feature[] = [workspace, run, agents, service];
