// Builds the program once before all tests, so that they never run an old one.
import { execa } from 'execa';

export async function setup(): Promise<void> {
  await execa('node', ['esbuild.config.mjs']);
}
