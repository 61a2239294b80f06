/**
 * The page at `/docs/`: the OpenAPI document as HTML. It is rendered here, so that it can be read offline, printed, and
 * searched with the browser's own search. Its script sends calls (`try-it.ts`).
 */
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from '../../http/openapi.ts';
import { escapeHtml, makePage, type Page } from './frame.ts';
import { ACCESS_HTML, TRY_SCRIPT, TRY_STYLE } from './try-it.ts';

const STYLE = `
main { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 2rem; }
main > nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow: auto; }
main > nav a { display: block; padding: .1rem 0; }
h2 { margin: 2rem 0 .5rem; } h2:first-child { margin-top: 0; }
h3 { margin: 1rem 0 .25rem; font-size: .85rem; color: var(--soft); }
details { margin: .5rem 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
summary { padding: .5rem 1rem; cursor: pointer; overflow-wrap: anywhere; }
details > div { padding: 0 1rem 1rem; overflow-x: auto; }
.method { display: inline-block; min-width: 4rem; font-weight: 700; color: var(--accent); }
ul.schema { margin: 0; padding-left: 1.25rem; list-style: none; border-left: 1px solid var(--line); }
@media (max-width: 50rem) { main { grid-template-columns: minmax(0, 1fr); } main > nav { position: static; } }
`;

type Schema = Readonly<Record<string, unknown>>;

// limit: levels of a schema that are shown; deeper ones are shown as their types.
const DEPTH_MAX = 12;

export function docsPage(document: OpenApiDocument): Page {
  const byTag = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags[0] ?? 'other';
      const examples = examplesOf(document, operation);
      const html = operationHtml(method, path, operation, examples);
      byTag.set(tag, [...(byTag.get(tag) ?? []), html]);
    }
  }
  const tags = [...byTag.keys()].sort();
  const schemas = Object.entries(document.components.schemas);
  const links = [...tags.map((tag) => link(`tag-${tag}`, tag)), link('schemas', 'Schemas')];
  const sections = tags.map(
    (tag) => `<h2 id="tag-${escapeHtml(tag)}">${escapeHtml(tag)}</h2>${byTag.get(tag)?.join('')}`,
  );
  const body = `
<header><h1>${escapeHtml(document.info.title)}</h1>
<span class="soft">interface of version ${escapeHtml(document.info.version)}</span>
<a href="/">Console</a><a href="/docs/guide/">Guide</a><a href="/v6/openapi.json">OpenAPI</a></header>
<main><nav aria-label="Resources">${links.join('')}</nav><div>
<p>${wordsHtml(document.info.description)}</p>
${ACCESS_HTML}
${sections.join('')}
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => namedSchemaHtml(name, schema as Schema)).join('')}
</div></main>`;
  return makePage({
    title: `${document.info.title}: interface`,
    body,
    style: STYLE + TRY_STYLE,
    script: TRY_SCRIPT,
  });
}

/** The HTML of a text in which backquotes mark code. */
function wordsHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function link(target: string, text: string): string {
  return `<a href="#${escapeHtml(encodeURI(target))}">${escapeHtml(text)}</a>`;
}

/** Examples of bodies for the operation. */
function examplesOf(document: OpenApiDocument, { requestBody }: OpenApiOperation): readonly unknown[] {
  return Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => {
    const { $ref } = schema as { readonly $ref?: string };
    const named = document.components.schemas[$ref?.split('/').at(-1) ?? ''] as Schema | undefined;
    return (named?.examples ?? []) as readonly unknown[];
  });
}

function operationHtml(
  method: string,
  path: string,
  operation: OpenApiOperation,
  examples: readonly unknown[],
): string {
  const { summary, description, parameters, requestBody, responses } = operation;
  const parts = [
    description === undefined ? '' : `<p>${wordsHtml(description)}</p>`,
    `<button type="button" class="open-try" data-method="${escapeHtml(method.toUpperCase())}"
 data-path="${escapeHtml(path)}">Try it</button>`,
    parameters.length === 0 ? '' : `<h3>Parameters</h3>${parametersHtml(parameters)}`,
    requestBody === undefined ? '' : bodyHeadHtml(requestBody),
    ...Object.values(requestBody?.content ?? {}).map(({ schema }) => schemaHtml(schema as Schema, 0)),
    ...examples.map(exampleHtml),
    '<h3>Answers</h3>',
    ...answersHtml(responses),
    ...socketHtml(operation['x-websocket']),
  ];
  return `<details id="call-${escapeHtml(operation.operationId)}"><summary>
<span class="method">${escapeHtml(method.toUpperCase())}</span>
<code>${escapeHtml(path)}</code> <span class="soft">${escapeHtml(summary)}</span></summary>
<div>${parts.join('')}</div></details>`;
}

function bodyHeadHtml(body: NonNullable<OpenApiOperation['requestBody']>): string {
  const { 'x-bytes-max': bytesMax } = body;
  const most = bytesMax === undefined ? '' : `, at most ${(bytesMax / 1_024).toLocaleString('en')} KiB`;
  return `<h3>Body${body.required ? '' : ' (optional)'}${most}</h3>`;
}

function exampleHtml(example: unknown): string {
  return `<h3>Example</h3><pre>${escapeHtml(JSON.stringify(example, null, 1))}</pre>`;
}

/** The answers. Errors, which all have the same body, share a line. */
function answersHtml(responses: OpenApiOperation['responses']): readonly string[] {
  const all = Object.entries(responses).filter(([status]) => status !== 'default');
  const refusals = all.filter(([, { $ref }]) => $ref !== undefined).map(([status]) => status);
  return [
    ...all.filter(([, { $ref }]) => $ref === undefined).map(([status, one]) => answerHtml(status, one)),
    `<p><b>${refusals.join(', ')}, 5xx</b> ${link('schema-Error', 'Error')}</p>`,
  ];
}

/** Messages of a WebSocket with their fields. */
function socketHtml(messages: OpenApiOperation['x-websocket']): readonly string[] {
  if (messages === undefined) return [];
  const fields = (forms: readonly object[]) => forms.map((form) => schemaHtml(form as Schema, 0)).join('');
  return [
    '<h3>WebSocket</h3>',
    `<p><b>The client sends</b></p>${fields(messages.client)}`,
    `<p><b>The service sends</b></p>${fields(messages.service)}`,
  ];
}

function headersHtml(headers: OpenApiResponse['headers'] = {}): string {
  const rows = Object.entries(headers).map(
    ([name, { description }]) => `<li><code>${escapeHtml(name)}</code> ${wordsHtml(description)}</li>`,
  );
  return rows.length === 0 ? '' : `<ul>${rows.join('')}</ul>`;
}

function answerHtml(status: string, response: OpenApiResponse): string {
  const bodies = Object.entries(response.content ?? {}).map(([mediaType, { schema }]) => {
    const type = mediaType === 'application/json' ? '' : ` <code>${escapeHtml(mediaType)}</code>`;
    return `${type}${schemaHtml(schema as Schema, 0)}`;
  });
  const words = `<p><b>${escapeHtml(status)}</b> ${escapeHtml(response.description ?? '')}</p>`;
  return `${words}${headersHtml(response.headers)}${bodies.join('')}`;
}

function parametersHtml(parameters: readonly OpenApiParameter[]): string {
  const rows = parameters.map(({ name, required, description, schema, ...rest }) => {
    const where = `${rest.in}${required ? ', required' : ''}`;
    const cells = [
      `<code>${escapeHtml(name)}</code>`,
      where,
      typeHtml(schema as Schema),
      wordsHtml(description ?? ''),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const head = '<thead><tr><th>name</th><th>in</th><th>type</th><th></th></tr></thead>';
  return `<table>${head}<tbody>${rows.join('')}</tbody></table>`;
}

function namedSchemaHtml(name: string, schema: Schema): string {
  const id = `schema-${escapeHtml(name)}`;
  const summary = `<summary><b>${escapeHtml(name)}</b></summary>`;
  return `<details id="${id}" open>${summary}<div>${schemaHtml(schema, 0)}</div></details>`;
}

/** Fields of an object as a nested list; anything else as its type. */
function schemaHtml(schema: Schema, depth: number): string {
  const items = schema.items as Schema | undefined;
  const properties = (schema.properties ?? items?.properties) as Readonly<Record<string, Schema>> | undefined;
  if (properties === undefined || depth >= DEPTH_MAX)
    return depth === 0 ? `<div>${typeHtml(schema)}</div>` : '';
  const required = new Set((schema.required ?? items?.required ?? []) as readonly string[]);
  const fields = Object.entries(properties).map(([name, field]) => {
    const words =
      typeof field.description === 'string'
        ? ` <span class="soft">${wordsHtml(field.description)}</span>`
        : '';
    const mark = required.has(name) ? '' : '?';
    const nested = schemaHtml(field, depth + 1);
    return `<li><code>${escapeHtml(name)}${mark}</code> ${typeHtml(field)}${words}${nested}</li>`;
  });
  const head = depth === 0 && items !== undefined ? `<div>${typeHtml(schema)}</div>` : '';
  return `${head}<ul class="schema">${fields.join('')}</ul>`;
}

/** A type in a few words, with its limits; named schemas are links. */
function typeHtml(schema: Schema): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return link(`schema-${name}`, name);
  }
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as Schema[]).map(typeHtml).join(' or ');
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' | ');
  if (schema.type === 'array') return `list of ${typeHtml((schema.items as Schema | undefined) ?? {})}`;
  const bounds = [
    bound('from', schema.minimum),
    bound('to', schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum),
    bound('up to', schema.maxLength, ' characters'),
    bound('default', schema.default),
  ].filter((text) => text !== '');
  const format = typeof schema.format === 'string' ? ` (${schema.format})` : '';
  const type = typeof schema.type === 'string' ? schema.type : 'anything';
  return escapeHtml(`${type}${format}${bounds.length === 0 ? '' : `, ${bounds.join(' ')}`}`);
}

function bound(word: string, value: unknown, unit = ''): string {
  return value === undefined || value === -Number.MAX_SAFE_INTEGER ? '' : `${word} ${String(value)}${unit}`;
}
