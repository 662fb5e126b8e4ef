// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// If the code of a view fails, shows the error instead of the view. The navigation and the other views are not affected.
import { Component, type ComponentChildren, type JSX } from "preact";

export class Boundary extends Component<{ children: ComponentChildren }, { error: string | null }> {
  override state = { error: null as string | null };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ error: error instanceof Error ? error.message : String(error) });
  }

  override render(): JSX.Element {
    const { error } = this.state;
    if (error === null) return <>{this.props.children}</>;
    return (
      <section class="card" role="alert" id="view-error">
        <h1>Error in this view</h1>
        <p class="bad-text">✗ {error}</p>
        <button type="button" onClick={() => this.setState({ error: null })}>Show the view again</button>
      </section>
    );
  }
}
