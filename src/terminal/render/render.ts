import type { Result } from '../result.ts';
import type { Sink } from '../streams.ts';
import { renderDiffs } from './diffs.ts';
import { renderFollowing } from './following.ts';
import { renderJson } from './json.ts';
import { renderList, renderOutcomes } from './list.ts';
import type { RenderOptions } from './options.ts';
import { renderRecord } from './record.ts';
import { renderPieces, renderText } from './text.ts';

export async function render(result: Result, stdout: Sink, options: RenderOptions): Promise<void> {
  switch (result.kind) {
    case 'record':
      return renderRecord(result, stdout, options);
    case 'list':
      return renderList(result, stdout, options);
    case 'following':
      return renderFollowing(result, stdout, options);
    case 'diffs':
      return renderDiffs(result, stdout, options);
    case 'outcomes':
      return renderOutcomes(result, stdout, options);
    case 'json':
      return renderJson(result, stdout, options);
    case 'pieces':
      return renderPieces(result, stdout, options);
    case 'series':
      for await (const each of result.results) await render(each, stdout, options);
      return;
    case 'text':
      return renderText(result, stdout, options);
    case 'nothing':
      return;
  }
}
