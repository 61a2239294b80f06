/** The stream of changes for a tab: from the shared worker, or without one, over a connection of its own. */
import { Feed } from './feed.ts';
import type { ToTab, ToWorker } from './messages.ts';

export interface Connection {
  /** Ends the connection of all tabs. */
  logOut(): void;
}

/** Changes reach `receive` until the page is left. `worker`: the address of the worker's script. */
export function connect(
  worker: string | undefined,
  account: string,
  receive: (message: ToTab) => void,
): Connection {
  const isShared = worker !== undefined && typeof SharedWorker === 'function';
  return isShared ? connectShared(worker, account, receive) : connectAlone(receive);
}

function connectShared(worker: string, account: string, receive: (message: ToTab) => void): Connection {
  const shared = new SharedWorker(worker, { type: 'module', name: 'millrace' });
  const { port } = shared;
  let alone: Connection | undefined;
  // The script could not be fetched or run. Nothing else would tell the tab, and it would wait forever.
  shared.onerror = () => {
    alone ??= connectAlone(receive);
  };
  const send = (message: ToWorker): void => port.postMessage(message);
  port.onmessage = ({ data }: MessageEvent<ToTab>) => receive(data);
  send({ type: 'hello', account });
  addEventListener('pagehide', () => send({ type: 'bye' }));
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    send({ type: 'hello', account });
    receive({ type: 'gap' });
  });
  return {
    logOut() {
      send({ type: 'logout' });
      alone?.logOut();
    },
  };
}

/** A hidden tab closes its connection; shown again, it continues after the last change. */
function connectAlone(receive: (message: ToTab) => void): Connection {
  const feed = new Feed(receive);
  const follow = (): void => (document.hidden ? feed.stop() : feed.start());
  document.addEventListener('visibilitychange', follow);
  follow();
  return { logOut: () => feed.forget() };
}
