/** The connection of this tab for changes, and its state. */
import type { QueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef, useState } from 'react';
import { goToLogin } from '../account.ts';
import { forgetDraftsExceptOf } from '../kept-drafts.ts';
import { LiveCache } from '../live/cache.ts';
import { type Connection, connect } from '../live/connection.ts';
import type { LiveState } from '../live/messages.ts';

export interface Live {
  readonly state: LiveState;
  /** When the state began; undefined for the first one. */
  readonly since: string | undefined;
  logOut(): void;
}

export const LiveContext = createContext<Live>({
  state: 'waiting',
  since: undefined,
  logOut: () => undefined,
});

export function useLive(): Live {
  return useContext(LiveContext);
}

function workerAddress(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name=live-worker]')?.content;
}

/** Connects once for the life of the page. */
export function useConnection(queries: QueryClient, account: string): Live {
  const [state, setState] = useState<Pick<Live, 'state' | 'since'>>({ state: 'waiting', since: undefined });
  const connection = useRef<Connection>(undefined);
  useEffect(() => {
    if (connection.current !== undefined) return;
    const cache = new LiveCache(queries);
    let last: LiveState = 'waiting';
    connection.current = connect(workerAddress(), account, (message) => {
      switch (message.type) {
        case 'state':
          setState({ state: message.state, since: new Date().toISOString() });
          if (message.state === 'live' && last === 'lost') cache.recovered();
          last = message.state;
          if (message.state === 'ended') goToLogin();
          break;
        case 'changes':
          cache.changed(message.changes);
          break;
        case 'gap':
          cache.missed();
          break;
        case 'account':
          // The page shows data of another account, or of one that has logged out.
          forgetDraftsExceptOf(undefined);
          queries.clear();
          location.reload();
          break;
      }
    });
  }, [queries, account]);
  return { ...state, logOut: () => connection.current?.logOut() };
}
