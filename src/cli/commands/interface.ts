/** `api`: any call of the interface. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { RefusedError, UnusableAnswerError } from '../../client/errors.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { InvalidError, UsageError } from '../frame/exit-codes.ts';
import { fileProblem } from '../frame/file-problem.ts';
import { refusalText } from '../frame/refusal.ts';
import { shownOn } from './job-logs.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
const BAD_REQUEST = 400;
const NO_BODY = 'no body was sent: -d FILE sends a file, -d - standard input';

export function addInterface(program: Command, run: Run): void {
  program
    .command('api')
    .argument('<method>', METHODS.join(', '))
    .argument('<path>', 'with its query, such as /v6/jobs/?status=FAILED')
    .option(
      '-d, --data <file>',
      'a file with the JSON body, which most POST, PUT and PATCH need; - for standard input',
    )
    .summary('make any call of the interface')
    .addHelpText(
      'after',
      examples(
        "api GET '/v6/jobs/?page_size=1'",
        'api PATCH /v6/strikes/3/ -d edit.json',
        'api GET /v6/job-executions/7/logs/stderr/',
      ),
    )
    .action(run(call));
}

async function call(
  context: Context,
  options: { readonly data?: string },
  method: string,
  path: string,
): Promise<void> {
  const verb = method.toUpperCase();
  if (!METHODS.includes(verb)) throw new UsageError(`'${method}': one of ${METHODS.join(', ')}`);
  if (!path.startsWith('/')) throw new UsageError(`'${path}': a path begins with /`);
  const { data } = options;
  const body =
    data === undefined
      ? undefined
      : parsed(data, data === '-' ? await text(context.terminal.stdin) : await contentOf(data));
  const client = await context.client();
  if (verb === 'GET' && body === undefined) return showContent(context, client, path);
  const answer = await client
    .request(verb, path, { body, signal: context.signal })
    .catch((error: unknown) => {
      const isWithout = body === undefined && WITH_BODY.has(verb);
      if (!isWithout || !(error instanceof RefusedError) || error.status !== BAD_REQUEST) throw error;
      throw new InvalidError(`${refusalText(error, context.calledService)}\n  ${NO_BODY}`);
    });
  if (answer.body !== undefined) context.document(answer.body);
  const location = answer.headers.get('location');
  if (location !== null) context.note(location);
}

/** JSON in the form of `--output`; anything else, such as a log, as it comes. */
async function showContent(context: Context, client: Client, path: string): Promise<void> {
  const { mediaType, content } = await client.download({ call: path }, { signal: context.signal });
  if (!/^application\/(?:[\w.+-]+\+)?json\b/.test(mediaType))
    return context.writeAll(shownOn(context.terminal.stdout, content));
  const json = await text(content);
  if (json !== '') context.document(parsedAnswer(path, json));
}

function parsedAnswer(path: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new UnusableAnswerError({ method: 'GET', path }, 'the answer is not valid JSON');
  }
}

async function contentOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--data ${path} cannot be read: ${fileProblem(error, path)}`);
  });
}

function parsed(path: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UsageError(`--data ${path}: ${(error as Error).message}`);
  }
}
