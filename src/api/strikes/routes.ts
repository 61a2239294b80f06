/** `/v6/strikes/`: watches workspaces for new files. */
import { storableText } from '../../domain/document/json-value.ts';
import { defineList } from '../../http/list.ts';
import { labelFilter } from '../../http/request/labels.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { integers, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, defineValidation, reply } from '../../http/route.ts';
import { NO_BODY } from '../../http/schema.ts';
import { listStrikes } from '../../store/strike/list.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { warningHeader } from '../shared/warnings.ts';
import {
  StrikeCheck,
  StrikeCheckResult,
  StrikeCreate,
  StrikeDetails,
  StrikeEdit,
  StrikeSummary,
  strikePath,
} from './schema.ts';
import {
  addStrike,
  changeStrike,
  checkStrike,
  type StrikeParts,
  strikeDetails,
  strikeDocumentProblems,
  strikeEffects,
} from './service.ts';

const ORDER = ['name', 'title', 'description', 'is_paused', 'created', 'last_modified'] as const;

const filters = {
  range: timeRange(),
  name: texts('Names.'),
  id: integers('Ids of strikes.', { minimum: 1 }),
  keyword: texts('Part of the name, title or description, in any case.'),
  label: labelFilter,
};
const order = orderBy([...ORDER, 'job__id', 'job__status'], ['last_modified']);

const list = defineList({
  path: '/v6/strikes/',
  summary: 'List strikes',
  query: { ...filters, order },
  record: StrikeSummary,
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listStrikes(sql, query, query.order, query.paging, shown),
});

const create = defineRoute({
  method: 'POST',
  path: '/v6/strikes/',
  summary: 'Create a strike and start it',
  repeats: 'keyed',
  body: StrikeCreate,
  documentProblems: strikeDocumentProblems,
  replies: { 201: StrikeDetails },
  async handle({ body, request }, parts: StrikeParts) {
    const { made, warnings } = await addStrike(parts, body, request);
    return reply(201, made, { location: strikePath(made.id), ...warningHeader(warnings) });
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/strikes/{id}/',
  summary: 'Details of a strike',
  params: { id: pathId },
  replies: { 200: StrikeDetails },
  async handle({ params }, { sql }: Parts<'sql'>) {
    return reply(200, existing(await strikeDetails(sql, params.id), 'strike', params.id));
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/strikes/{id}/',
  summary: 'Edit, pause or resume a strike',
  description:
    'Fields that are not given stay as they are. When rules change, deferred files are tried again. Masked secrets ' +
    'are kept.',
  params: { id: pathId },
  body: StrikeEdit,
  documentProblems: strikeDocumentProblems,
  replies: { 204: NO_BODY },
  async handle({ params, body }, parts: StrikeParts) {
    return reply(204, undefined, warningHeader(await changeStrike(parts, params.id, body)));
  },
});

const validate = defineValidation({
  path: '/v6/strikes/validation/',
  summary: 'Check a strike before it is created or edited',
  body: StrikeCheck,
  result: StrikeCheckResult,
  async handle({ raw, checked }, parts: StrikeParts & Parts<'revisions'>) {
    const name = storableText(raw.name);
    const found = await checkStrike(parts, raw.configuration, name);
    const isValid = checked.ok && found.errors.length === 0;
    return {
      ...found,
      extra: { effects: isValid ? await strikeEffects(parts, name, raw.configuration) : null },
    };
  },
});

export const strikeRoutes = [list, create, details, edit, validate];
