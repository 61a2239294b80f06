/** Routes that explain the state of files, and test what strikes and scans would do with names. */
import { Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { INGEST_STATUSES } from '../../domain/ingest/ingest.ts';
import { normalisePath, relativePathProblem } from '../../domain/paths.ts';
import { IssueList } from '../../domain/validation.ts';
import { fileAddressProblem } from '../../domain/workspace/file-address.ts';
import { required, text } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { id, named, oneOf, orNull } from '../../http/schema.ts';
import { existing } from '../shared/existing.ts';
import { IdRef } from '../shared/records.ts';
import { refuseProblems } from '../shared/requests.ts';
import { Cause } from './cause.ts';
import { namesTest, whyOfFile } from './file.ts';
import { type NamesParts, TriedName } from './names.ts';

// limit: names in one test.
const NAMES_MAX = 1_000;

const NamesTest = named(
  'NamesTest',
  Type.Object(
    {
      names: Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
        maxItems: NAMES_MAX,
        description: 'Paths in the workspace. May be empty: then only `causes` says something.',
      }),
    },
    { examples: [{ names: ['report.json', 'report.json_tmp', 'photo.jpg'] }] },
  ),
);

const TriedNames = named(
  'TriedNames',
  Type.Object({
    id: id(),
    causes: Type.Array(Cause, { description: 'What keeps it from finding any file now.' }),
    results: Type.Array(TriedName, { description: 'In the order of the names.' }),
  }),
);

const FileWhy = named(
  'FileWhy',
  Type.Object({
    workspace: Type.String(),
    path: Type.String(),
    file: orNull(
      Type.Object(
        { id: id(), file_type: oneOf(['SOURCE', 'PRODUCT']) },
        { description: 'What is recorded there.' },
      ),
    ),
    ingests: Type.Array(
      Type.Object({
        id: id(),
        status: oneOf(INGEST_STATUSES),
        strike: orNull(IdRef),
        scan: orNull(IdRef),
        source_file: orNull(IdRef),
        recipe: orNull(IdRef),
      }),
      { description: 'What was found at this path, the newest first, 20 at most.' },
    ),
    causes: Type.Array(Cause, {
      description: 'If nothing was found: for each strike and scan of the workspace, why not.',
    }),
  }),
);

type Finder = 'strike' | 'scan';

const ofFile = defineRoute({
  method: 'GET',
  path: '/v6/files/why/',
  summary: 'Why a file of a workspace was not ingested, or what it started',
  description:
    'Also for files that were never seen: which strikes and scans would find them, and what these would do with them.',
  query: {
    workspace: required(text('Name of the workspace.')),
    path: required(text('Path in the workspace, without the transfer suffix.')),
  },
  replies: { 200: FileWhy },
  async handle({ query, request }, parts: NamesParts) {
    const problem = relativePathProblem(query.path);
    if (problem !== undefined) {
      const errors = [{ name: 'INVALID_PATH', description: problem, path: 'path' }];
      throw new AppError('INVALID_PARAMETER', `path: the path ${problem}`, { errors });
    }
    const found = await whyOfFile(parts, query.workspace, normalisePath(query.path), request.nowMs);
    return reply(200, existing(found, 'workspace', query.workspace));
  },
});

const testOf = (kind: Finder) =>
  defineRoute({
    method: 'POST',
    path: `/v6/${kind}s/{id}/test/`,
    summary: `What a ${kind} would do with files of these names`,
    description:
      'Tries the names as if their files were complete: which rule would take each file, where the file would go, ' +
      'which recipe it would start, or why not. Nothing is changed.',
    access: 'read',
    repeats: { reason: 'it changes nothing' },
    params: { id: pathId },
    body: NamesTest,
    replies: { 200: TriedNames },
    async handle({ params, body, request }, parts: NamesParts) {
      refuseImpossibleNames(body.names);
      return reply(
        200,
        existing(await namesTest(parts, kind, params.id, body.names, request.nowMs), kind, params.id),
      );
    },
  });

/** No listing and no notification has such names, so no rule is asked about them. */
function refuseImpossibleNames(names: readonly string[]): void {
  const issues = new IssueList();
  for (const [at, name] of names.entries()) {
    const problem = fileAddressProblem(name);
    if (problem !== undefined) issues.error('INVALID_PATH', `names[${at}]`, problem);
  }
  refuseProblems(issues);
}

export const fileWhyRoutes = [ofFile, testOf('strike'), testOf('scan')];
