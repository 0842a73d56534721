import { execa } from 'execa';

export async function setup(): Promise<void> {
  await execa('node', ['esbuild.config.mjs']);
}
