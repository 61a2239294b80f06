/** The start of the console: finds the account, connects, and shows the page of the address. */
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { RefusedError } from '../client/errors.ts';
import { type Account, AccountContext, findAccount, followSession, goToLogin } from './account.ts';
import { startLayoutWorker } from './graph/start-worker.ts';
import { forgetDraftsExceptOf } from './kept-drafts.ts';
import { nonce } from './nonce.ts';
import { Failure } from './parts/states.tsx';
import { router } from './routes.tsx';
import { LiveContext, useConnection } from './shell/live-context.tsx';
import { fetchPagesWhenIdle } from './shell/page-component.ts';
import { applyStoredTheme } from './shell/theme.ts';

/** How long the data of a left page is kept for a return to it. */
const KEPT_MS = 60_000;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream of changes says when data is out of date, and the client itself repeats failed calls.
      ...{ staleTime: KEPT_MS, gcTime: KEPT_MS, retry: false, refetchOnWindowFocus: false },
      networkMode: 'always',
      throwOnError: (error) => {
        if (error instanceof RefusedError && error.status === 401) goToLogin();
        return false;
      },
    },
    mutations: { networkMode: 'always' },
  },
});

function Console({ account }: { readonly account: Account }) {
  const live = useConnection(queries, account.username ?? '');
  return (
    <CSPProvider nonce={nonce}>
      <QueryClientProvider client={queries}>
        <AccountContext value={account}>
          <LiveContext value={live}>
            <RouterProvider router={router} context={{ queries }} />
          </LiveContext>
        </AccountContext>
      </QueryClientProvider>
    </CSPProvider>
  );
}

async function start(): Promise<void> {
  applyStoredTheme();
  followSession();
  const element = document.getElementById('root');
  if (element === null) throw new Error('the page has no root');
  const root = createRoot(element);
  try {
    // The code of the page is fetched meanwhile.
    const [account] = await Promise.all([findAccount(), router.load()]);
    if (account === undefined) return goToLogin();
    forgetDraftsExceptOf(account.username ?? '');
    root.render(<Console account={account} />);
    const isReading = () => router.state.status === 'pending' || queries.isFetching() > 0;
    fetchPagesWhenIdle(router, isReading, startLayoutWorker);
  } catch (error) {
    root.render(<Failure error={error} retry={() => location.reload()} />);
  }
}

void start();
