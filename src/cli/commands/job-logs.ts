/** Prints the output of a task: unchanged into a pipe or file, with escaped control characters on a terminal. */
import type { Client } from '../../client/client.ts';
import type { Context, Terminal } from '../frame/context.ts';
import { escapeControls } from '../frame/escape.ts';
import { patient } from '../frame/waiting.ts';

export async function showLogs(
  context: Context,
  client: Client,
  executionId: number,
  isFollowed: boolean,
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'> = context.terminal,
): Promise<void> {
  await Promise.all(
    (['stdout', 'stderr'] as const).map(async (stream) => {
      const at = { executionId, stream, isFollowed };
      const bytes = client.log(at, isFollowed ? patient(context) : { signal: context.signal });
      const target = stream === 'stdout' ? stdout : stderr;
      const pieces = shownOn(target, bytes);
      for await (const piece of pieces) {
        if (!target.write(piece)) await new Promise((resolve) => target.once('drain', resolve));
      }
    }),
  );
}

/** Foreign bytes: escaped for a terminal, unchanged for a pipe or a file. */
export function shownOn(
  { isTTY }: Pick<NodeJS.WriteStream, 'isTTY'>,
  bytes: AsyncIterable<Uint8Array>,
): AsyncIterable<string | Uint8Array> {
  return isTTY ? escaped(bytes) : bytes;
}

/** Text with escaped control characters, except line ends and tabs. */
async function* escaped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of bytes) {
    yield decoder
      .decode(piece, { stream: true })
      .split(/(\r?\n|\t)/)
      .map((part) => (/^(?:\r?\n|\t)$/.test(part) ? part : escapeControls(part)))
      .join('');
  }
}
