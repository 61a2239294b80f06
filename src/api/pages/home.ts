/**
 * The page at `/`: the running work, the nodes and the queue, for people with a browser. It reads the interface like
 * any other client, and shows an unavailable part as such instead of failing.
 */
import { makePage, type Page } from './frame.ts';

const STYLE = `
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; }
section { padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; }
section.wide { grid-column: 1 / -1; overflow-x: auto; }
h2 { margin: 0 0 .5rem; font-size: 1rem; }
header nav { margin-left: auto; display: flex; gap: 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; font-variant-numeric: tabular-nums; }
.state { padding: 0 .5rem; border-radius: 1rem; border: 1px solid currentColor; font-size: .8rem;
  white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
meter { width: 8rem; vertical-align: middle; }
`;

const BODY = `
<header>
  <h1>Millrace</h1><span class="soft" id="version"></span><span id="scheduler"></span>
  <nav><a href="/docs/guide/">Guide</a><a href="/docs/">Interface</a><a href="/v6/openapi.json">OpenAPI</a>
    <a href="/login/">Account</a></nav>
</header>
<main>
  <div class="cards">
    <section><h2>Queue</h2><div id="queue" class="soft">loading…</div></section>
    <section><h2>Resources in use</h2><div id="resources" class="soft">loading…</div></section>
    <section><h2>Dependencies</h2><div id="dependencies" class="soft">loading…</div></section>
    <section class="wide"><h2>Nodes</h2><div id="nodes" class="soft">loading…</div></section>
    <section class="wide"><h2>Waiting job types</h2><div id="waiting" class="soft">loading…</div></section>
    <section class="wide"><h2>Strikes, last changed first</h2>
      <div id="strikes" class="soft">loading…</div></section>
  </div>
  <p class="soft" id="updated" role="status"></p>
</main>`;

/** Texts from the service reach the page only through textContent: no HTML is made from them. */
const SCRIPT = `
'use strict';
const at = (id) => document.getElementById(id);
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map((child) => child instanceof Node ? child : String(child ?? '')));
  return element;
}
function put(id, ...children) { at(id).className = ''; at(id).replaceChildren(...children); }
function say(id, text) { at(id).className = 'soft'; at(id).textContent = text; }
const TONES = { READY: 'good', RUNNING: 'good', COMPLETED: 'good', FAILED: 'bad', OFFLINE: 'bad',
  CANCELED: 'bad' };
const state = (name, title) =>
  make('span', { class: 'state ' + (TONES[name] ?? 'warn') }, title ?? name ?? 'unknown');
function table(heads, rows) {
  const head = make('tr', {}, ...heads.map((text) => make('th', { scope: 'col' }, text)));
  const lines = rows.map((cells) => make('tr', {}, ...cells.map((cell) => make('td', {}, cell))));
  return make('table', {}, make('thead', {}, head), make('tbody', {}, ...lines));
}
function facts(pairs) {
  return make('dl', {}, ...pairs.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
}
const when = (text) => text ? new Date(text).toLocaleString() : '';
const rounded = (value) => Math.round((value ?? 0) * 10) / 10;
function amounts(one) {
  const used = make('meter', { min: 0, max: Math.max(one.total ?? 0, 1), value: one.running ?? 0 });
  return make('span', {}, used, ' ' + rounded(one.running) + ' of ' + rounded(one.total));
}

const parts = {
  '/v6/version/': ['version', (found) => { put('version', found.version); }],
  '/v6/status/': ['nodes resources dependencies', (found) => {
    put('scheduler', state(found.scheduler?.state?.name, found.scheduler?.state?.title));
    const nodes = (found.nodes ?? []).map((node) => [
      node.hostname, state(node.state?.name, node.state?.title), node.job_executions?.running?.total ?? 0,
      node.job_executions?.completed?.total ?? 0, node.job_executions?.failed?.total ?? 0,
    ]);
    put('nodes', nodes.length === 0 ? 'no node has joined'
      : table(['host', 'state', 'running', 'completed in 3 h', 'failed in 3 h'], nodes));
    put('resources', facts(Object.entries(found.resources ?? {}).map(([name, one]) => [name, amounts(one)])));
    put('dependencies', facts(Object.entries(found.dependencies ?? {}).map(([name, one]) =>
      [name, make('span', { class: one.OK ? 'good' : 'bad' },
        one.detail?.msg ?? (one.OK ? 'fine' : 'not fine'))])));
  }],
  '/v6/scheduler/queued-resources/': ['queue', (found) => {
    const lengths = Object.entries(found.queue_lengths ?? {});
    put('queue', facts(lengths.map(([name, count]) => [name.toLowerCase(), count])));
  }],
  '/v6/queue/status/?page_size=10': ['waiting', (found) => {
    const rows = found.results.map((one) => [one.job_type?.title, one.job_type?.version, one.count,
      one.highest_priority, when(one.longest_queued)]);
    put('waiting', rows.length === 0 ? 'nothing waits'
      : table(['job type', 'version', 'jobs', 'best priority', 'waiting since'], rows));
  }],
  '/v6/strikes/?order=-last_modified&page_size=10': ['strikes', (found) => {
    const rows = found.results.map((one) => [make('a', { href: '/v6/strikes/' + one.id + '/' }, one.title),
      state(one.job?.status), when(one.last_modified)]);
    put('strikes', rows.length === 0 ? 'there are none' : table(['title', 'job', 'changed'], rows));
  }],
};

async function load(path, [ids, show]) {
  try {
    const response = await fetch(path, { headers: { accept: 'application/json' } });
    if (response.status === 401) location.assign('/login/?next=/');
    const found = await response.json();
    if (!response.ok) throw new Error(found.detail ?? 'status ' + response.status);
    show(found);
  } catch (error) {
    for (const id of ids.split(' ')) say(id, 'not available: ' + error.message);
  }
}

let isLoading = false;
async function refresh() {
  if (isLoading || document.hidden) return;
  isLoading = true;
  await Promise.all(Object.entries(parts).map(([path, part]) => load(path, part)));
  at('updated').textContent = 'as of ' + new Date().toLocaleTimeString() + ', refreshed every 5 s';
  isLoading = false;
}
document.addEventListener('visibilitychange', refresh);
setInterval(refresh, 5000);
refresh();
`;

export const homePage: Page = makePage({ title: 'Millrace', body: BODY, style: STYLE, script: SCRIPT });
