import type { ReactNode } from 'react';
import { useWhyNot, type Right } from '../client/rights.ts';
import { Empty } from './states.tsx';

interface WithRightProps {
  right: Right;
  /** What is shown, in one or two words. */
  what: string;
  /** What is there for everybody. */
  instead?: ReactNode;
  children: ReactNode;
}

/** What asks the server. Of who has no right to it nothing is asked: it says why not. */
export function WithRight({ right, what, instead, children }: WithRightProps) {
  const why = useWhyNot(right);
  if (why === undefined) return children;
  return (
    <>
      {instead}
      <NoRight what={what} why={why} />
    </>
  );
}

export function NoRight({ what, why }: { what: string; why: string }) {
  return <Empty title={`${what}: not for this sign-in`}>{why}</Empty>;
}
