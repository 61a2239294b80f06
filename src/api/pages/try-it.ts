/**
 * The part of `/docs/` that sends calls: its style and its script. The forms are made in the browser, from the OpenAPI
 * document; what the service answers is shown as text. A token stays in the page's memory.
 */
export const TRY_STYLE = `
.access { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; }
.access label, form.try label { display: grid; gap: .15rem; }
input, select, textarea, button { font: inherit; max-width: 100%; padding: .35rem .6rem; color: inherit;
  background: var(--ground); border: 1px solid var(--line); border-radius: .35rem; }
textarea { width: 100%; font-family: ui-monospace, monospace; font-size: .85em; }
button { cursor: pointer; } button.send { color: var(--card); background: var(--accent); border-color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
form.try { display: grid; gap: .75rem; margin: .75rem 0; padding: 1rem; border: 1px solid var(--line);
  border-radius: .5rem; }
form.try .fields { display: grid; gap: .5rem 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); }
form.try pre, .answer pre { margin: .25rem 0; padding: .5rem .75rem; max-height: 24rem; overflow: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; background: var(--ground); border: 1px solid var(--line); }
.good { color: var(--good); } .bad { color: var(--bad); }
`;

/** HTML above the calls. */
export const ACCESS_HTML = `<div class="access"><label>Token (forgotten with this page)
<input id="token" type="password" autocomplete="off" spellcheck="false"></label>
<span class="soft">Without one, calls go in your session (<a href="/login/?next=/docs/">log in</a>).</span></div>`;

export const TRY_SCRIPT = `
'use strict';
// limit: characters of an answer that are shown.
const SHOWN_MAX = 200000;
let loading;
const load = () => loading ??= fetch('/v6/openapi.json').then((answer) => answer.json());
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
function resolved(api, schema) {
  if (schema.$ref) return resolved(api, api.components.schemas[schema.$ref.split('/').at(-1)]);
  const forms = (schema.anyOf ?? []).filter((one) => one.type !== 'null');
  return forms.length === 1 ? resolved(api, forms[0]) : schema;
}
// A first body where the schema has no example: its required fields.
function sketch(api, schema, depth = 0) {
  const one = resolved(api, schema);
  if (one.examples) return one.examples[0];
  if (one.default !== undefined) return one.default;
  if (one.enum) return one.enum[0];
  if (one.anyOf) return sketch(api, one.anyOf[0], depth);
  if (one.type === 'object') {
    const names = depth > 5 ? [] : one.required ?? [];
    return Object.fromEntries(names.map((name) => [name, sketch(api, one.properties?.[name] ?? {}, depth + 1)]));
  }
  return { array: [], string: '', integer: one.minimum ?? 0, number: 0, boolean: false }[one.type] ?? null;
}
function control(api, parameter) {
  const schema = resolved(api, parameter.schema);
  const choices = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
  const common = { 'data-name': parameter.name, 'data-in': parameter.in };
  if (parameter.required) common.required = '';
  if (schema.type === 'array') return make('textarea', { ...common, rows: 2, placeholder: 'one value a line' });
  if (!choices) return make('input', { ...common, placeholder: schema.default ?? '', autocomplete: 'off' });
  return make('select', common, ...['', ...choices].map((value) => make('option', { value }, value || '(not sent)')));
}
const quoted = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'";
function requestOf(form, method, path, body) {
  let target = path;
  const query = new URLSearchParams();
  const headers = {};
  for (const field of form.querySelectorAll('[data-name]')) {
    const { name, in: place } = field.dataset;
    const lines = field.tagName === 'TEXTAREA' ? field.value.split('\\n') : [field.value];
    const values = lines.filter((one) => one !== '');
    for (const value of values) {
      if (place === 'path') target = target.replace('{' + name + '}', encodeURIComponent(value));
      else if (place === 'query') query.append(name, value);
      else headers[name] = value;
    }
  }
  const text = query.toString();
  if (body) headers['content-type'] = 'application/json';
  return { url: location.origin + target + (text ? '?' + text : ''), method, headers, body: body?.value };
}
function commandOf({ url, method, headers, body }, hasToken) {
  const all = { ...headers, ...(hasToken ? { authorization: 'Bearer $TOKEN' } : {}) };
  const parts = Object.entries(all).map(([name, value]) =>
    name === 'authorization' ? ' -H "' + name + ': ' + value + '"' : ' -H ' + quoted(name + ': ' + value));
  return 'curl -X ' + method + ' ' + quoted(url) + parts.join('') + (body === undefined ? '' : ' -d ' + quoted(body));
}
function pretty(text, type) {
  if (!/json/.test(type)) return text;
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}
async function send(request, token) {
  const { url, method, body } = request;
  const headers = new Headers(request.headers);
  const csrf = /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1];
  if (token) headers.set('authorization', 'Bearer ' + token);
  else if (csrf && method !== 'GET') headers.set('x-csrftoken', csrf);
  const credentials = token ? 'omit' : 'same-origin';
  const answer = await fetch(url, { method, headers, body, credentials, signal: AbortSignal.timeout(60000) });
  const type = answer.headers.get('content-type') ?? '';
  const isText = type === '' || /json|text|xml/.test(type);
  const text = isText ? pretty(await answer.text(), type) : (await answer.blob()).size + ' bytes of ' + type;
  return { answer, text: text.length > SHOWN_MAX ? text.slice(0, SHOWN_MAX) + '…' : text };
}
function show(output, request, token, { answer, text }) {
  const lines = [...answer.headers].map(([name, value]) => name + ': ' + value).join('\\n');
  output.replaceChildren(
    make('p', { class: answer.ok ? 'status good' : 'status bad' }, answer.status + ' ' + answer.statusText),
    make('pre', { class: 'body', tabindex: 0, 'aria-label': 'Body' }, text),
    make('details', {}, make('summary', {}, 'Headers'), make('pre', { class: 'headers' }, lines)),
    make('details', {}, make('summary', {}, 'As a command'),
      make('pre', { class: 'curl' }, commandOf(request, token !== ''))),
  );
}
async function open(button) {
  const { method, path } = button.dataset;
  const api = await load();
  const { parameters, requestBody } = api.paths[path][method.toLowerCase()];
  const fields = parameters.map((parameter) =>
    make('label', {}, make('span', {}, make('code', {}, parameter.name), parameter.required ? ' (required)' : ''),
      control(api, parameter)));
  const schema = requestBody?.content['application/json']?.schema;
  const examples = schema ? resolved(api, schema).examples ?? [] : [];
  const asText = (value) => JSON.stringify(value, null, 2);
  const body = schema && make('textarea', { class: 'body', rows: 12, spellcheck: 'false' });
  if (body) body.value = asText(sketch(api, schema));
  const choice = examples.length > 1 && make('select', {}, ...examples.map((one, index) =>
    make('option', { value: index }, one.title ?? one.manifest?.job?.title ?? 'Example ' + (index + 1))));
  if (choice) choice.addEventListener('change', () => { body.value = asText(examples[choice.value]); });
  const sender = make('button', { class: 'send' }, 'Send');
  const output = make('div', { class: 'answer', 'aria-live': 'polite' });
  const form = make('form', { class: 'try' }, make('div', { class: 'fields' }, ...fields),
    ...(choice ? [make('label', {}, 'Example', choice)] : []), ...(body ? [make('label', {}, 'Body', body)] : []),
    make('div', {}, sender), output);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    sender.disabled = true;
    output.textContent = '…';
    const token = document.getElementById('token').value.trim();
    const request = requestOf(form, method, path, body);
    try { show(output, request, token, await send(request, token)); }
    catch (error) { output.replaceChildren(make('p', { class: 'status bad' }, 'not sent: ' + error.message)); }
    sender.disabled = false;
  });
  button.replaceWith(form);
  (form.querySelector('input, select, textarea') ?? sender).focus();
}
document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element && event.target.closest('button.open-try');
  if (!button) return;
  button.disabled = true;
  try { await open(button); } catch (error) { button.textContent = 'not available: ' + error.message; }
});
`;
