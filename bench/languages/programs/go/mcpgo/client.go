// The client of the interoperability run: asks a server for what all of them have, and reports what it got.
package main

import (
	"context"
	"log"
	"sort"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"tenon-bench/languages/report"
)

type asking struct {
	client   *client.Client
	family   string
	progress chan any
	updates  chan any
	watched  chan any
}

type answers struct{}

func (answers) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	response := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Bo"}}
	return &mcp.ElicitationResult{ElicitationResponse: response}, nil
}

func (answers) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	message := mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent("hi")}
	return &mcp.CreateMessageResult{SamplingMessage: message, Model: "none"}, nil
}

func runClient(family, kind string, target []string) {
	a := &asking{family: family, progress: make(chan any, 100), updates: make(chan any, 100), watched: make(chan any, 100)}
	ctx := context.Background()
	var via transport.Interface = transport.NewStdio(target[0], nil, target[1:]...)
	if kind == "http" {
		// Listening on a GET stream rules out 2026-07-28 in this SDK.
		options := map[string][]transport.StreamableHTTPCOption{"2025": {transport.WithContinuousListening()}}
		http, err := transport.NewStreamableHTTP(target[0], options[family]...)
		if err != nil {
			log.Fatal(err)
		}
		via = http
	}
	versions := map[string]string{"2025": "2025-11-25", "2026": "2026-07-28"}
	a.client = client.NewClient(via, client.WithElicitationHandler(answers{}), client.WithSamplingHandler(answers{}), client.WithProtocolVersion(versions[family]))
	a.client.OnNotification(func(notification mcp.JSONRPCNotification) {
		switch notification.Method {
		case "notifications/progress":
			a.progress <- notification.Params.AdditionalFields["progress"]
		case "notifications/resources/updated":
			a.updates <- notification.Params.AdditionalFields["uri"]
		case "notifications/subscriptions/acknowledged":
			a.watched <- true
		}
	})
	if err := a.client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	var initialize mcp.InitializeRequest
	initialize.Params.ProtocolVersion = versions[family]
	initialize.Params.ClientInfo = mcp.Implementation{Name: "mcp-go", Version: "1.0.0"}
	result, err := a.client.Initialize(ctx, initialize)
	if err != nil {
		log.Fatal(err)
	}
	report.Run("revision", func() (any, error) { return result.ProtocolVersion, nil })
	a.checks(ctx)
	a.client.Close()
}

func (a *asking) call(ctx context.Context, name string, arguments map[string]any) (*mcp.CallToolResult, string, error) {
	var request mcp.CallToolRequest
	request.Params.Name = name
	request.Params.Arguments = arguments
	if name == "steps" {
		request.Params.Meta = &mcp.Meta{ProgressToken: "steps-1"}
	}
	result, err := a.client.CallTool(ctx, request)
	if err != nil {
		return nil, "", err
	}
	said := ""
	if len(result.Content) > 0 {
		said = mcp.GetTextFromContent(result.Content[0])
	}
	return result, said, nil
}

func (a *asking) text(name string, arguments map[string]any) func() (any, error) {
	return func() (any, error) {
		_, said, err := a.call(context.Background(), name, arguments)
		return said, err
	}
}

func (a *asking) checks(ctx context.Context) {
	report.Run("lists", func() (any, error) { return a.lists(ctx) })
	report.Run("call", func() (any, error) {
		result, said, err := a.call(ctx, "add", map[string]any{"a": 2, "b": 3})
		if err != nil {
			return nil, err
		}
		return map[string]any{"text": said, "structured": result.StructuredContent}, nil
	})
	report.Run("text", a.text("echo", map[string]any{"text": report.OddText}))
	report.Run("resource", func() (any, error) {
		result, err := a.client.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: note}})
		if err != nil {
			return nil, err
		}
		return result.Contents[0].(mcp.TextResourceContents).Text, nil
	})
	report.Run("prompt", func() (any, error) {
		params := mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"name": "Bo"}}
		result, err := a.client.GetPrompt(ctx, mcp.GetPromptRequest{Params: params})
		if err != nil {
			return nil, err
		}
		return mcp.GetTextFromContent(result.Messages[0].Content), nil
	})
	a.errors(ctx)
	report.Run("progress", func() (any, error) {
		_, _, err := a.call(ctx, "steps", map[string]any{"count": 5})
		return report.Gather(a.progress, 5), err
	})
	report.Run("cancellation", func() (any, error) { return a.cancellation(ctx) })
	report.Run("elicitation", a.text("ask", nil))
	report.Run("sampling", a.text("sample", nil))
	report.Run("subscription", func() (any, error) { return a.subscription(ctx) })
}

func (a *asking) lists(ctx context.Context) (any, error) {
	names := map[string][]string{"tools": {}, "resources": {}, "prompts": {}}
	tools, err := a.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	for _, tool := range tools.Tools {
		names["tools"] = append(names["tools"], tool.Name)
	}
	resources, err := a.client.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		return nil, err
	}
	for _, resource := range resources.Resources {
		names["resources"] = append(names["resources"], resource.URI)
	}
	prompts, err := a.client.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		return nil, err
	}
	for _, prompt := range prompts.Prompts {
		names["prompts"] = append(names["prompts"], prompt.Name)
	}
	sort.Strings(names["tools"])
	return names, nil
}

func (a *asking) errors(ctx context.Context) {
	report.Run("tool error", func() (any, error) {
		result, said, err := a.call(ctx, "fail", nil)
		if err != nil {
			return nil, err
		}
		return map[string]any{"isError": result.IsError, "text": said}, nil
	})
	report.Run("unknown tool", func() (any, error) {
		_, _, err := a.call(ctx, "nope", nil)
		return report.Refused(err)
	})
	report.Run("wrong arguments", func() (any, error) {
		result, _, err := a.call(ctx, "add", map[string]any{"a": "x", "b": 3})
		if err == nil && result.IsError {
			return "refused", nil
		}
		return report.Refused(err)
	})
}

func (a *asking) cancellation(ctx context.Context) (any, error) {
	waits, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, _, err := a.call(waits, "wait", nil)
		ended <- err
	}()
	waited := func() (string, error) {
		_, said, err := a.call(ctx, "waited", nil)
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

func (a *asking) subscription(ctx context.Context) (any, error) {
	if a.family == "2025" {
		if err := a.client.Subscribe(ctx, mcp.SubscribeRequest{Params: mcp.SubscribeParams{URI: note}}); err != nil {
			return nil, err
		}
	} else {
		stop, err := a.client.ListenAsync(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{note}}, func(error) {})
		if err != nil {
			return nil, err
		}
		defer stop()
		report.Gather(a.watched, 1) // ListenAsync does not wait until the server watches
	}
	_, _, err := a.call(ctx, "touch", nil)
	return report.Gather(a.updates, 1), err
}
