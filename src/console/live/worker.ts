/**
 * The worker that all tabs of a browser share, with one connection for all of them. When somebody logs out, or another
 * account logs in, it closes the connection and tells the tabs.
 */
import { Feed } from './feed.ts';
import type { ToTab, ToWorker } from './messages.ts';

const ports = new Set<MessagePort>();
let account: string | undefined;

function sendTo(some: Iterable<MessagePort>, message: ToTab): void {
  for (const port of some) port.postMessage(message);
}

const feed = new Feed((message) => sendTo(ports, message));

function others(port: MessagePort): MessagePort[] {
  return [...ports].filter((each) => each !== port);
}

function greet(port: MessagePort, name: string): void {
  ports.add(port);
  if (account !== undefined && account !== name) {
    feed.forget();
    sendTo(others(port), { type: 'account' });
  }
  account = name;
  port.postMessage({ type: 'state', state: feed.state } satisfies ToTab);
  feed.start();
}

function receive(port: MessagePort, message: ToWorker): void {
  switch (message.type) {
    case 'hello':
      greet(port, message.account);
      break;
    case 'logout':
      account = undefined;
      feed.forget();
      sendTo(others(port), { type: 'account' });
      break;
    case 'bye':
      ports.delete(port);
      if (ports.size === 0) feed.stop();
      break;
  }
}

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => receive(port, data);
});
