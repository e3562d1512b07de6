// The client of the interoperability run: asks a server for what all of them have, and reports what it got.
package main

import (
	"context"
	"log"
	"os/exec"
	"sort"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tenon-bench/languages/report"
)

type client struct {
	session  *mcp.ClientSession
	progress chan float64
	updates  chan string
}

func runClient(family, transport string, target []string) {
	c := &client{progress: make(chan float64, 100), updates: make(chan string, 100)}
	options := &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Bo"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "none", Content: &mcp.TextContent{Text: "hi"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
			c.progress <- request.Params.Progress
		},
		ResourceUpdatedHandler: func(_ context.Context, request *mcp.ResourceUpdatedNotificationRequest) {
			c.updates <- request.Params.URI
		},
	}
	var via mcp.Transport = &mcp.StreamableClientTransport{Endpoint: target[0]}
	if transport == "stdio" {
		via = &mcp.CommandTransport{Command: exec.Command(target[0], target[1:]...)}
	}
	versions := map[string]string{"2025": "2025-11-25", "2026": "2026-07-28"}
	ctx := context.Background()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "go-official", Version: "1.0.0"}, options).
		Connect(ctx, via, &mcp.ClientSessionOptions{ProtocolVersion: versions[family]})
	if err != nil {
		log.Fatal(err)
	}
	c.session = session
	report.Run("revision", func() (any, error) { return session.InitializeResult().ProtocolVersion, nil })
	c.checks(ctx)
	session.Close()
}

func (c *client) call(ctx context.Context, name string, arguments map[string]any) (*mcp.CallToolResult, string, error) {
	params := &mcp.CallToolParams{Name: name, Arguments: arguments}
	if name == "steps" {
		params.SetProgressToken("steps-1")
	}
	result, err := c.session.CallTool(ctx, params)
	if err != nil {
		return nil, "", err
	}
	said := ""
	if len(result.Content) > 0 {
		said = result.Content[0].(*mcp.TextContent).Text
	}
	return result, said, nil
}

func (c *client) text(name string, arguments map[string]any) func() (any, error) {
	return func() (any, error) {
		_, said, err := c.call(context.Background(), name, arguments)
		return said, err
	}
}

func (c *client) checks(ctx context.Context) {
	report.Run("lists", func() (any, error) { return c.lists(ctx) })
	report.Run("call", func() (any, error) {
		result, said, err := c.call(ctx, "add", map[string]any{"a": 2, "b": 3})
		if err != nil {
			return nil, err
		}
		return map[string]any{"text": said, "structured": result.StructuredContent}, nil
	})
	report.Run("text", c.text("echo", map[string]any{"text": report.OddText}))
	report.Run("resource", func() (any, error) {
		result, err := c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: note})
		if err != nil {
			return nil, err
		}
		return result.Contents[0].Text, nil
	})
	report.Run("prompt", func() (any, error) {
		result, err := c.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"name": "Bo"}})
		if err != nil {
			return nil, err
		}
		return result.Messages[0].Content.(*mcp.TextContent).Text, nil
	})
	c.errors(ctx)
	report.Run("progress", func() (any, error) {
		_, _, err := c.call(ctx, "steps", map[string]any{"count": 5})
		return report.Gather(c.progress, 5), err
	})
	report.Run("cancellation", func() (any, error) { return c.cancellation(ctx) })
	report.Run("elicitation", c.text("ask", nil))
	report.Run("sampling", c.text("sample", nil))
	report.Run("subscription", func() (any, error) {
		if err := c.session.Subscribe(ctx, &mcp.SubscribeParams{URI: note}); err != nil {
			return nil, err
		}
		_, _, err := c.call(ctx, "touch", nil)
		return report.Gather(c.updates, 1), err
	})
}

func (c *client) lists(ctx context.Context) (any, error) {
	names := map[string][]string{"tools": {}, "resources": {}, "prompts": {}}
	for tool, err := range c.session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		names["tools"] = append(names["tools"], tool.Name)
	}
	for resource, err := range c.session.Resources(ctx, nil) {
		if err != nil {
			return nil, err
		}
		names["resources"] = append(names["resources"], resource.URI)
	}
	for prompt, err := range c.session.Prompts(ctx, nil) {
		if err != nil {
			return nil, err
		}
		names["prompts"] = append(names["prompts"], prompt.Name)
	}
	sort.Strings(names["tools"])
	return names, nil
}

func (c *client) errors(ctx context.Context) {
	report.Run("tool error", func() (any, error) {
		result, said, err := c.call(ctx, "fail", nil)
		if err != nil {
			return nil, err
		}
		return map[string]any{"isError": result.IsError, "text": said}, nil
	})
	report.Run("unknown tool", func() (any, error) {
		_, _, err := c.call(ctx, "nope", nil)
		return report.Refused(err)
	})
	report.Run("wrong arguments", func() (any, error) {
		result, _, err := c.call(ctx, "add", map[string]any{"a": "x", "b": 3})
		if err == nil && result.IsError {
			return "refused", nil
		}
		return report.Refused(err)
	})
}

func (c *client) cancellation(ctx context.Context) (any, error) {
	waits, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, _, err := c.call(waits, "wait", nil)
		ended <- err
	}()
	waited := func() (string, error) {
		_, said, err := c.call(ctx, "waited", nil)
		return said, err
	}
	if _, err := report.Until("waiting", waited); err != nil {
		cancel()
		return nil, err
	}
	cancel()
	if err := <-ended; err == nil {
		return "the call ended", nil
	}
	return report.Until("cancelled", waited)
}
