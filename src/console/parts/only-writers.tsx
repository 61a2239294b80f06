/** What only accounts that may make changes can use. Others reach such a page by its address alone. */
import type { ReactNode } from 'react';
import { useAccount } from '../account.ts';
import { Empty } from './states.tsx';

interface Props {
  /** What is created here, as in "batches". */
  readonly what: string;
  readonly children: ReactNode;
}

export function OnlyWriters({ what, children }: Props) {
  if (useAccount().mayWrite) return children;
  return <Empty title="This account may only read">{`Staff create ${what}.`}</Empty>;
}
