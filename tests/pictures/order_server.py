"""An MCP server on stdio for the pictures: it asks for a form, and for a page to be opened."""

from __future__ import annotations

from typing import Any

from tools_e2e import desk_server

_ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "supplier": {
            "type": "string",
            "title": "Supplier",
            "description": "As it stands on the invoice",
        },
        "email": {"type": "string", "format": "email", "title": "E-mail"},
        "fruit": {
            "type": "string",
            "title": "Fruit",
            "enum": ["apples", "pears", "pineapples"],
            "default": "pears",
        },
        "crates": {"type": "integer", "title": "Crates", "minimum": 1, "maximum": 40},
        "weekly": {"type": "boolean", "title": "Every week", "default": True},
    },
    "required": ["supplier", "crates"],
}


class Orders(desk_server.Desk):
    """A supplier's order form."""

    def ask(self, request: Any, params: dict[str, Any]) -> None:
        """Ask for an order in place of what the tests ask for."""
        if params.get("mode") == "url":
            words = "Sign in at the supplier to confirm the order."
            params = {**params, "message": words, "url": "https://orders.example/sign-in?order=41"}
        else:
            params = {"message": "An order for the stand", "requestedSchema": _ORDER}
        super().ask(request, params)


if __name__ == "__main__":
    Orders().serve()
