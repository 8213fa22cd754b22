import { Component, type ReactNode } from 'react';
import { Button } from '../components/Button.tsx';

/** A defect of one screen takes that screen alone, and says what it was. */
export class ScreenBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="notice bad" role="alert">
        <h1>This screen failed</h1>
        <p>{error.message}</p>
        <Button onPress={() => this.setState({ error: undefined })}>Show it again</Button>
      </div>
    );
  }
}
