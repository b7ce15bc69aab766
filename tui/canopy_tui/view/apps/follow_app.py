"""The part of the app that follows an agent through the files it works on.

It shows and hides the panel; what is in it is the panel's business.
"""

from __future__ import annotations

from canopy_tui.view.apps.pane_app import PaneApp


class FollowApp(PaneApp):
    """Off until it is asked for."""

    def action_toggle_follow(self) -> None:
        """Show the file at which the agent works, or not any more."""
        main = self.main
        if main.followed is None:
            from canopy_tui.view.transcript.follow_panel import FollowPanel

            main.followed = FollowPanel(self.state, self.around.glyphs)
            main.query_one("#pane").mount(main.followed, after=main.transcript)
        else:
            if main.focused is not None and main.followed in main.focused.ancestors:
                main.focus_home()
            main.followed.display = not main.followed.display
        main.followed.show(self.open_session)
